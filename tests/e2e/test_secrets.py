"""Programs with secrets that are not those of the database."""

import pytest

from banking.services import deployments
from config import development_secrets, env
from tests.e2e import serving

pytestmark = pytest.mark.one_database
PROGRAMS = [
    ["-m", "config.web", "0"],
    ["-m", "config.worker"],
    ["-m", "config.beat"],
    ["manage.py", "rotate_pii_keys", "--skip-checks"],
]


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """Return the environment of a deployment that ran before, by its web server."""
    with serving.served(tmp_path_factory.mktemp("secrets")) as server:
        yield server.environment


@pytest.fixture
def run(environment):
    """Run a program with some secrets changed, and return what it said and how it ended."""

    def run(arguments, **changed):
        return serving.end(arguments, {**environment, **changed}, check=False)

    return run


@pytest.mark.parametrize("arguments", PROGRAMS)
def test_every_program_refuses_a_wrong_key_and_says_which(run, arguments):
    done = run(arguments, PII_KEYS=f"k9:{'9f' * 32}")

    assert done.returncode == 1
    assert "PII_KEYS lacks the key development1" in done.stderr
    assert "manage.py accept_secrets NAME" in done.stderr


def test_each_secret_is_known_again(run, tmp_path):
    development_secrets.write(tmp_path / "secrets.env")
    fresh = env.assignments(tmp_path / "secrets.env")

    done = run(
        ["manage.py", "verify_keys", "--skip-checks"],
        **{name: fresh[name] for name in deployments.SECRETS},
    )

    assert done.returncode == 1
    for name in deployments.SECRETS:
        assert f"{name}: differs" in done.stdout


def test_the_secrets_of_the_database_are_confirmed(run):
    done = run(["manage.py", "verify_keys", "--skip-checks"])

    assert (done.returncode, done.stderr) == (0, "")
