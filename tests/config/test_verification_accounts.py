"""The accounts of verification providers, as the environment names them."""

import pytest
from django.core.exceptions import ImproperlyConfigured

from config.verification_accounts import read_accounts


@pytest.fixture
def environment(monkeypatch):
    def set_all(**values):
        for name, value in values.items():
            monkeypatch.setenv(f"VERIFICATION_{name}", value)

    return set_all


def test_without_names_there_are_none(environment):
    environment(PROVIDERS="", ACME_URL="https://a.example.com")

    assert read_accounts() == []


def test_an_account_is_read_with_its_secrets_from_values_or_files(environment, tmp_path):
    file = tmp_path / "secret"
    file.write_text("from-a-file\n")
    file.chmod(0o400)
    environment(
        PROVIDERS="acme",
        ACME_URL="https://a.example.com/v1/",
        ACME_TOKEN="t",
        ACME_SECRET_FILE=str(file),
        ACME_CHECKS="IDENTITY, ADDRESS",
    )

    assert read_accounts() == [
        {
            "name": "acme",
            "adapter": "https",
            "url": "https://a.example.com/v1",
            "token": "t",
            "secret": "from-a-file",
            "kinds": ("IDENTITY", "ADDRESS"),
        }
    ]


def test_a_file_that_others_can_read_is_refused(environment, tmp_path):
    file = tmp_path / "secret"
    file.write_text("x")
    file.chmod(0o644)
    environment(PROVIDERS="acme", ACME_TOKEN_FILE=str(file))

    with pytest.raises(ImproperlyConfigured, match="can be read by others"):
        read_accounts()
