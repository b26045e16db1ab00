"""A colleague's second factor, reset."""

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group
from django.core import mail
from django.test import Client

from banking.models import StaffChange, User
from banking.services import staff_changes
from mcp_server.services import second_factor, second_factor_resets
from tests import factories
from tests.factories import NOON
from tests.mailing import send_queued
from tests.staff import sign_in


@pytest.fixture
def administrator(db):
    user = User.objects.create_user("rosa@example.com", user_type="STAFF")
    user.groups.add(Group.objects.get(name="Administrator"))
    return user


@pytest.fixture
def colleague(careful_person):
    careful_person.user_type = "STAFF"
    careful_person.save()
    return careful_person


@pytest.fixture
def second(db):
    return User.objects.create_user("sam@example.com", user_type="STAFF")


def test_an_administrator_proposes_to_reset_a_colleagues_and_it_is_logged(administrator, colleague):
    client = sign_in(administrator)
    page = client.get(f"/admin/banking/user/{colleague.pk}/change/").content.decode()

    answer = client.post(f"/second-factor/{colleague.pk}/reset", follow=True)

    assert f'action="/second-factor/{colleague.pk}/reset"' in page
    assert "When a second administrator has confirmed it" in answer.content.decode()
    assert second_factor.is_on(colleague)
    assert StaffChange.objects.get().subject == colleague
    entry = LogEntry.objects.get()
    assert (entry.user, entry.object_id) == (administrator, str(colleague.pk))
    assert entry.change_message == "Reset of two-step verification proposed."


def test_a_second_administrator_resets_it_and_it_is_dated_and_mailed(
    administrator, second, colleague
):
    sign_in(administrator).post(f"/second-factor/{colleague.pk}/reset")
    staff_changes.confirm(StaffChange.objects.get(), by=second, at=NOON)

    colleague.refresh_from_db()
    assert not second_factor.is_on(colleague)
    assert colleague.access_changed_at
    send_queued()
    assert [message.to for message in mail.outbox[-2:]] == [[colleague.email]] * 2
    proposed, reset = mail.outbox[-2:]
    assert f"- Reset the two-step verification of {colleague.email}." in proposed.body
    assert f"- The two-step verification of {colleague.email} was reset." in reset.body


def test_a_customers_is_reset_from_the_page_of_their_business(
    administrator, second, careful_person
):
    business = factories.make_business_owner(user=careful_person).business
    client = sign_in(administrator)
    page = client.get(f"/admin/banking/business/{business.pk}/change/").content.decode()
    answer = client.post(f"/second-factor/{careful_person.pk}/reset")
    staff_changes.confirm(StaffChange.objects.get(), by=second, at=NOON)

    assert f'action="/second-factor/{careful_person.pk}/reset"' in page
    assert answer.url == "/admin/banking/staffchange/"
    assert not second_factor.is_on(careful_person)
    send_queued()
    asked, reset = mail.outbox[-2:]
    assert "We have been asked to reset two-step verification." in asked.body
    assert "We have reset two-step verification." in reset.body
    assert {*asked.to, *reset.to} == {careful_person.email}


def test_an_accountants_is_reset_from_their_page(administrator, careful_person):
    accountant = factories.make_accountant(user=careful_person)
    page = sign_in(administrator).get(f"/admin/banking/accountant/{accountant.pk}/change/")

    assert f'action="/second-factor/{careful_person.pk}/reset"' in page.content.decode()


def test_a_viewer_has_no_button_to_reset_a_customers(careful_person):
    business = factories.make_business_owner(user=careful_person).business
    viewer = User.objects.create_user("viewer@example.com", user_type="STAFF")
    viewer.groups.add(Group.objects.get(name="Viewer"))
    page = sign_in(viewer).get(f"/admin/banking/business/{business.pk}/change/")

    assert page.status_code == 200
    assert "/reset" not in page.content.decode()


def test_a_reset_ends_the_sessions_of_the_person(careful_person):
    client = sign_in(careful_person)

    second_factor_resets.reset(careful_person, at=NOON)

    assert client.get("/connected-assistants").status_code == 302
    careful_person.refresh_from_db()
    assert sign_in(careful_person).get("/connected-assistants").status_code == 200


def test_a_reset_is_proposed_once_and_for_those_who_have_a_factor(administrator, colleague):
    client = sign_in(administrator)

    for _ in range(2):
        client.post(f"/second-factor/{colleague.pk}/reset")
    client.post(f"/second-factor/{factories.make_user().pk}/reset")

    assert StaffChange.objects.count() == 1


def test_strangers_do_not_learn_which_users_exist(client, colleague):
    known = client.post(f"/second-factor/{colleague.pk}/reset")
    unknown = client.post("/second-factor/999999/reset")

    assert known.status_code == unknown.status_code == 403


def test_a_new_device_voids_the_proposal(administrator, second, colleague):
    sign_in(administrator).post(f"/second-factor/{colleague.pk}/reset")
    former = colleague.totpdevice_set.get()
    colleague.totpdevice_set.create(name="another", key=former.key, confirmed=True)
    colleague.totpdevice_set.filter(pk=former.pk).delete()

    with pytest.raises(staff_changes.ChangeVoid):
        staff_changes.confirm(StaffChange.objects.get(), by=second, at=NOON)

    assert second_factor.is_on(colleague)


def test_nothing_is_proposed_that_cannot_be_logged(administrator, colleague, monkeypatch):
    def fail(*_args, **_options):
        raise RuntimeError

    monkeypatch.setattr(LogEntry.objects, "log_actions", fail)

    with pytest.raises(RuntimeError):
        sign_in(administrator).post(f"/second-factor/{colleague.pk}/reset")

    assert not StaffChange.objects.exists()


def test_nobody_resets_their_own(administrator, colleague):
    colleague.groups.add(Group.objects.get(name="Administrator"))
    second_factor.switch_off(colleague)
    client = sign_in(colleague)

    assert client.post(f"/second-factor/{colleague.pk}/reset").status_code == 403


@pytest.mark.parametrize("role", ["Viewer", "Reviewer", "Approver", "Auditor"])
def test_no_other_role_resets_any(role, colleague):
    user = User.objects.create_user("other@example.com", user_type="STAFF")
    user.groups.add(Group.objects.get(name=role))

    answer = sign_in(user).post(f"/second-factor/{colleague.pk}/reset")

    assert answer.status_code == 403
    assert second_factor.is_on(colleague)


def test_nor_does_a_customer_or_a_stranger(colleague):
    customer = User.objects.create_user("customer@example.com")
    customer.groups.add(Group.objects.get(name="Administrator"))

    for client in (sign_in(customer), Client()):
        assert client.post(f"/second-factor/{colleague.pk}/reset").status_code == 403
    assert second_factor.is_on(colleague)


def test_a_superusers_is_reset_by_a_superuser_alone(administrator, colleague):
    colleague.is_superuser = True
    colleague.save()
    boss = User.objects.create_superuser("boss@example.com")
    path = f"/second-factor/{colleague.pk}/reset"

    assert sign_in(administrator).post(path).status_code == 403
    assert sign_in(boss).post(path).status_code == 302
    assert StaffChange.objects.get().proposed_by == boss


def test_looking_resets_nothing(administrator, colleague):
    answer = sign_in(administrator).get(f"/second-factor/{colleague.pk}/reset")

    assert answer.status_code == 405
    assert second_factor.is_on(colleague)
