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


def test_the_second_time_it_finds_the_bank_there():
    said("load_demo_bank", *SMALL)
    before = Transaction.objects.count()

    assert said("load_demo_bank", *SMALL) == "the demo bank is there already\n"

    assert Transaction.objects.count() == before


def test_the_ledger_is_clean_afterwards():
    said("load_demo_bank", *SMALL)

    assert "the ledger is clean" in said("verify_ledger")


def test_transactions_for_trials_of_speed_come_on_top():
    words = said("load_demo_bank", *SMALL, "--scale", "3000")

    assert words.startswith("3,000 transactions of 1,001 businesses in ")
    assert "a second\n" in words
    assert bank.is_loaded()
    assert Transaction.objects.count() > 3_000
    assert "the ledger is clean" in said("verify_ledger")
    said("load_demo_bank", *SMALL, "--scale", "10")
    assert Business.objects.filter(legal_name__startswith="Scale").count() == 2 * 1_001


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
