"""List passes: who is checked again when a list has changed, and who is not."""

import pytest

from onboarding.choices import ApplicationStatus as Status
from onboarding.models import Application, Lead, ListPass, Owner
from onboarding.screening import sanctions as screening
from onboarding.services.checks import list_passes, rechecks
from tests.factories import later, make_owner
from tests.onboarding.sanctions_files import SDN, load, recheck
from tests.onboarding.services.checks.submitted import screen

BORN_ELSEWHERE = SDN[3].replace("SDNT", "SDNT] [SDGT")


@pytest.fixture
def customers(submitted, tmp_path):
    """Return two approved customers, Ana Perez Nakar and Grace Hopper, compared with the list."""
    load(tmp_path)
    ana, grace = submitted("1111"), submitted("2222")
    Lead.objects.filter(pk=ana.lead_id).update(first_name="Ana", last_name="Perez Nakar")
    Lead.objects.filter(pk=grace.lead_id).update(first_name="Grace", last_name="Hopper")
    screen()
    Application.objects.update(status=Status.APPROVED)
    list(recheck(at=later(hours=2)))
    return ana, grace


def again(at):
    return [one.application_id for one in recheck(at=at)]


def test_only_parties_with_names_like_changed_entries_are_checked_again(customers, tmp_path):
    _ana, grace = customers
    hopper = SDN[3].replace("4001", "4002").replace("PÉREZ-ÑAKAR, Ana", "HOPPER, Grace")

    load(tmp_path, sdn=(*SDN, hopper), at=later(days=1))

    assert again(later(days=2)) == [grace.external_id]
    assert again(later(days=3)) == []


def test_a_list_without_changed_entries_has_nobody_checked_again(customers, tmp_path):
    load(tmp_path, sdn=reversed(SDN), at=later(days=1))

    assert again(later(days=2)) == []
    assert ListPass.objects.filter(finished_at=None).count() == 0


@pytest.mark.parametrize("sdn", [(*SDN[:3], SDN[4]), (*SDN[:3], BORN_ELSEWHERE, SDN[4])])
def test_hits_on_entries_that_are_gone_or_changed_are_checked_again(customers, tmp_path, sdn):
    ana, _grace = customers

    load(tmp_path, sdn=sdn, at=later(days=1))

    assert again(later(days=2)) == [ana.external_id]


def test_the_owner_of_a_customer_is_found_by_name_and_by_number(customers, tmp_path):
    ana, grace = customers
    make_owner(ana.lead, first_name="Wilbur", last_name="Smithereen")
    make_owner(grace.lead, first_name="Wilma", passport_number="A-12345678", id_country="IR")
    rows = (
        SDN[3].replace("4001", "5").replace("PÉREZ-ÑAKAR, Ana", "SMITHEREEN, Wilbur"),
        SDN[3].replace("4001", "6").rpartition("-0-")[0] + '"Passport A12345678 (Iran)."',
    )
    rows = (rows[0], rows[1].replace("PÉREZ-ÑAKAR, Ana", "QUORNDON, Zed"))

    load(tmp_path, sdn=(*SDN, *rows), at=later(days=1))

    assert set(again(later(days=2))) == {ana.external_id, grace.external_id}
    assert Owner.objects.count() == 2
    assert {hit.entry_number for hit in grace.lead.screening_hits.all()} == {6}


def test_a_pass_goes_on_where_it_was(customers, tmp_path, monkeypatch):
    """Compare the two leads, and the business and owner in the records that one of them became."""
    monkeypatch.setattr(list_passes, "BATCH_SIZE", 1)
    hopper = SDN[3].replace("4001", "4002").replace("PÉREZ-ÑAKAR, Ana", "HOPPER, Grace")
    load(tmp_path, sdn=(*SDN, hopper), at=later(days=1))

    until = iter([False, True, True]).__next__
    first = list_passes.advance(at=later(days=2), until=until)
    open_pass = ListPass.objects.get(finished_at=None)
    place = open_pass.source, open_pass.last_id
    list_passes.advance(at=later(days=2))

    assert first == 1
    assert place == ("LEADS", customers[0].lead_id)
    done = ListPass.objects.get(pk=open_pass.pk)
    assert (done.party_count, done.found_count, done.finished_at) == (4, 2, later(days=2))


def test_a_pass_waits_until_earlier_checks_are_stored(customers, tmp_path):
    load(tmp_path, sdn=SDN[:3], at=later(days=1))

    assert list_passes.advance(at=later(days=1)) == 0
    assert list_passes.is_running()


def test_while_a_pass_runs_cases_checked_before_are_outdated(case, tmp_path):
    load(tmp_path)
    before = rechecks.is_outdated(case)

    list(recheck(at=later(days=1)))

    assert (before, rechecks.is_outdated(case)) == (True, False)


def test_an_upgrade_compares_everybody_once(customers, monkeypatch):
    monkeypatch.setattr(list_passes, "COMPARISON", screening.COMPARISON + 1)

    assert again(later(days=1)) == [customers[0].external_id]
    assert again(later(days=2)) == []
    newest = ListPass.objects.first()
    assert (newest.sanctions_list, newest.comparison) == (None, screening.COMPARISON + 1)
