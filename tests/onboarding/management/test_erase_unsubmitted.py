"""manage.py erase_unsubmitted."""

import pytest
from django.core.management import CommandError, call_command

from onboarding.models import Lead
from onboarding.services.privacy import erasure

pytestmark = pytest.mark.usefixtures("own_store")


@pytest.fixture
def left(make_application):
    return make_application(status="EXPIRED")


def test_it_says_how_many_it_would_erase(run, left):
    [line] = run("erase_unsubmitted", "--dry-run")

    assert line.startswith("would erase 1 leads that ended before 20")
    assert Lead.objects.get().erased_at is None


def test_it_erases_them(run, left):
    [line] = run("erase_unsubmitted")

    assert line.startswith("erased 1 leads")
    assert Lead.objects.get().erased_at


def test_others_may_be_given_more_time(run, left):
    [line] = run("erase_unsubmitted", "--days", "36500")

    assert line.startswith("erased 0 leads")


def test_nobody_is_erased_at_once(left):
    with pytest.raises(CommandError, match="at least 1"):
        call_command("erase_unsubmitted", "--days", "0")


def test_a_failure_is_told_by_the_id_and_fails(left, monkeypatch, capsys):
    def fail(*_arguments, **_options):
        raise RuntimeError

    monkeypatch.setattr(erasure, "_blank", fail)

    with pytest.raises(CommandError, match="1 leads could not be erased"):
        call_command("erase_unsubmitted")

    assert f"application {left.external_id}: RuntimeError" in capsys.readouterr().err
