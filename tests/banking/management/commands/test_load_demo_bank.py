"""manage.py load_demo_bank."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from banking.demo import bank
from banking.models import Business, Transaction
from onboarding.services.partners import api_keys

SMALL = ["--businesses", "1", "--months", "1", "--until", "2026-03-02"]

pytestmark = pytest.mark.django_db


def said(*words):
    output = StringIO()
    call_command(*words, stdout=output)
    return output.getvalue()


def test_it_loads_and_says_what():
    words = said("load_demo_bank", *SMALL)

    assert bank.is_loaded()
    assert f"{Business.objects.count()} businesses" in words
    assert f"{Transaction.objects.count():,} transactions" in words


def test_its_lines_can_be_sent_over_http(client, tmp_path):
    file = tmp_path / "demo.ndjson"
    said("load_demo_bank", *SMALL, "--to", str(file))
    assert not bank.is_loaded()
    issued = api_keys.issue_bank_key(at=timezone.now(), scopes=["*:write"])
    headers = {"Authorization": f"Vestibule {issued.key.access_key}:{issued.secret}"}

    response = client.post(
        "/service/bank/v1/records:batch",
        file.read_bytes(),
        content_type="application/x-ndjson",
        headers=headers,
    )

    results = [json.loads(line) for line in b"".join(response.streaming_content).splitlines()]
    assert {one["result"] for one in results} <= {"created", "updated"}
    assert bank.is_loaded()


@pytest.mark.parametrize(
    "wrong", [["--businesses", "0"], ["--months", "x"], ["--until", "soon"], ["--scale", "-1"]]
)
def test_options_that_make_no_sense_are_refused(wrong):
    with pytest.raises(CommandError):
        call_command("load_demo_bank", *wrong)

    assert not bank.is_loaded()


def test_a_production_has_no_demo_bank(settings):
    settings.IS_SANDBOX = False

    with pytest.raises(CommandError, match="Only a sandbox"):
        call_command("load_demo_bank")


def test_nothing_is_made_of_the_future():
    with pytest.raises(CommandError, match="future"):
        call_command("load_demo_bank", "--until=2199-01-01")
