"""manage.py load_demo_bank."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from banking.demo import bank
from banking.models import Business, Transaction

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


def test_the_second_time_it_finds_the_bank_there():
    said("load_demo_bank", *SMALL)
    before = Transaction.objects.count()

    assert said("load_demo_bank", *SMALL) == "the demo bank is there already\n"

    assert Transaction.objects.count() == before


def test_the_ledger_is_clean_afterwards():
    said("load_demo_bank", *SMALL)

    assert "the ledger is clean" in said("verify_ledger")


@pytest.mark.parametrize("wrong", [["--businesses", "0"], ["--months", "x"], ["--until", "soon"]])
def test_options_that_make_no_sense_are_refused(wrong):
    with pytest.raises(CommandError):
        call_command("load_demo_bank", *wrong)

    assert not bank.is_loaded()
