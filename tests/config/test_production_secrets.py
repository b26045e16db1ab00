"""New secrets of a production."""

from config import production_secrets
from tests.config.test_checks import PRODUCTION, check, report  # noqa: F401 - used by name


def test_new_secrets_pass_the_checks_of_a_deployment(report):  # noqa: F811 - a fixture
    made = dict(line.split("=", 1) for line in production_secrets.lines(year=2026))

    assert {"SECRET_KEY", "PII_KEYS", "STATUS_TOKEN"} <= made.keys()
    assert report(**{**PRODUCTION, **made}) == report(**PRODUCTION)
