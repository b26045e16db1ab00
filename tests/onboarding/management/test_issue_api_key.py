"""manage.py issue_api_key."""

from datetime import timedelta

import pytest
from django.core.management import CommandError
from django.utils import timezone

from onboarding.choices import Permission
from onboarding.models import ApiKey
from onboarding.services.partners import api_keys


@pytest.fixture
def partner(make_partner):
    return make_partner(name="Acme Corp")


def test_the_key_and_its_secret_are_shown_once(run, partner):
    lines = run("issue_api_key", "--partner", "Acme Corp")

    key = ApiKey.objects.get()
    [secret] = [line.split()[-1] for line in lines if line.startswith("secret key")]
    assert api_keys.secret_digest(secret) == key.secret_digest
    assert lines == [
        "partner     Acme Corp",
        f"access key  {key.access_key}",
        f"secret key  {secret}",
        f"expires     {key.expires_at:%Y-%m-%d %H:%M} UTC",
        "Only a hash of the secret is stored: this is the one time that it is shown.",
    ]


def test_without_options_the_key_may_do_everything_for_a_year(run, partner):
    run("issue_api_key", "--partner", str(partner.external_id))

    key = ApiKey.objects.get(partner=partner)
    assert key.permissions == Permission.values
    assert (key.label, key.networks) == ("", [])
    assert timedelta(days=364) < key.expires_at - timezone.now() <= timedelta(days=365)


def test_the_options_limit_the_key(run, partner):
    run(
        *("issue_api_key", "--partner", "Acme Corp", "--label", "reports", "--days", "30"),
        *("--permission", "lead:read", "webhook:manage", "--permission", "lead:read"),
        *("--network", "10.0.0.0/8", "--network", "2001:db8::/32"),
    )

    key = ApiKey.objects.get()
    assert key.label == "reports"
    assert key.permissions == ["lead:read", "webhook:manage"]
    assert key.networks == ["10.0.0.0/8", "2001:db8::/32"]
    assert timedelta(days=29) < key.expires_at - timezone.now() <= timedelta(days=30)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--partner", "Nobody"], "There is no such partner."),
        (["--partner", "01980000-0000-7000-8000-000000000000"], "There is no such partner."),
        (["--permission", "lead:fly"], "'lead:fly' is not a valid Permission."),
        (["--network", "10.0.0.1/8"], "10.0.0.1/8 has host bits set."),
        (["--network", "home"], "'home' does not appear to be an IPv4 or IPv6 network."),
        (["--days", "0"], "--days must be 1 to 730."),
        (["--days", "99999999999"], "--days must be 1 to 730."),
        (
            ["--label", "a" * 101],
            "--label: Ensure this value has at most 100 characters (it has 101).",
        ),
    ],
)
def test_what_is_wrong_gets_one_clear_line_and_no_key(run, partner, options, message):
    with pytest.raises(CommandError) as error:
        run("issue_api_key", "--partner", "Acme Corp", *options)

    assert str(error.value) == message
    assert not ApiKey.objects.exists()
