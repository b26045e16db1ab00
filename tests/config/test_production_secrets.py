"""New secrets of a production."""

import pytest

from config import production_secrets
from tests.config.test_checks import PRODUCTION, check, report  # noqa: F401 - used by name


def test_new_secrets_pass_the_checks_of_a_deployment(report, tmp_path):  # noqa: F811 - a fixture
    production_secrets.write(tmp_path)
    files = {file.name: file for file in tmp_path.iterdir()}
    given = {name: value for name, value in PRODUCTION.items() if name not in files}

    assert {"SECRET_KEY", "PII_KEYS", "STATUS_TOKEN"} <= files.keys()
    assert {file.stat().st_mode & 0o777 for file in files.values()} == {0o400}
    named = {f"{name}_FILE": str(file) for name, file in files.items()}
    assert report(**given, **named) == report(**PRODUCTION)


def test_secrets_that_are_there_are_kept(tmp_path):
    (tmp_path / "LINK_KEY").write_text("in use")

    with pytest.raises(FileExistsError, match="already has LINK_KEY"):
        production_secrets.write(tmp_path)

    assert [file.name for file in tmp_path.iterdir()] == ["LINK_KEY"]
