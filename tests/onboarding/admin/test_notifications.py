"""The screen of one's own notifications, their number in the header, and the mails about them."""

import pytest
from django.utils import timezone

from banking.models import User
from onboarding.choices import NotificationKind as Kind
from onboarding.choices import PartyKind
from onboarding.models import MutedMail, Notification
from onboarding.services.checks import record_hits
from tests.factories import make_supplier
from tests.onboarding.sanctions_files import load
from tests.staff import sign_in, text_of

LIST = "/admin/onboarding/notification/"


@pytest.fixture
def dana(db):
    return User.objects.create_superuser("dana@example.com")


@pytest.fixture
def notice(dana, make_application, make_lead):
    case = make_application(make_lead(business_name="Harbor Coffee"))
    return Notification.objects.create(
        user=dana, kind=Kind.MENTIONED, application=case, at=timezone.now()
    )


def test_the_header_counts_unread_notifications(notice, dana):
    page = sign_in(dana).get("/admin/").content.decode()

    assert f'<a class="bell" href="{LIST}">Notifications <b>1</b></a>' in page


def test_the_header_has_no_link_for_those_who_see_no_cases(make_staff):
    assert 'class="bell"' not in make_staff("view_account").get("/admin/").content.decode()


def test_one_sees_ones_own_notifications_alone(notice, dana, chief):
    mine, others = text_of(sign_in(dana).get(LIST)), text_of(chief.get(LIST))

    assert "A note mentions you" in mine
    assert "Harbor Coffee" in mine
    assert "Harbor Coffee" not in others
    assert chief.post(f"{LIST}{notice.pk}/open/").status_code == 404


def test_opening_one_marks_it_as_read_and_leads_to_its_place(notice, dana):
    answer = sign_in(dana).post(f"{LIST}{notice.pk}/open/")

    case = notice.application_id
    assert answer.url == f"/admin/onboarding/application/{case}/change/#notes"
    notice.refresh_from_db()
    assert notice.read_at is not None


@pytest.mark.parametrize("way", ["all", "selected"])
def test_several_are_marked_as_read(notice, dana, way):
    client = sign_in(dana)

    if way == "all":
        client.post(f"{LIST}read/")
    else:
        chosen = {"action": "mark_selected_read", "_selected_action": notice.pk}
        client.post(LIST, chosen)

    assert not Notification.objects.filter(read_at=None).exists()
    assert "Harbor Coffee" not in text_of(client.get(f"{LIST}?read=no"))
    assert "Harbor Coffee" in text_of(client.get(f"{LIST}?read=yes"))


def test_mails_are_switched_off_per_kind(dana):
    client = sign_in(dana)
    wanted = [kind.value for kind in Kind if kind is not Kind.OVERDUE]

    client.post(f"{LIST}mails/", {"kinds": wanted})

    assert [muted.kind for muted in MutedMail.objects.filter(user=dana)] == [Kind.OVERDUE]
    page = client.get(f"{LIST}mails/").content.decode()
    assert page.count(" checked") == len(wanted)


def test_the_list_takes_as_many_statements_for_many(notice, dana, django_assert_max_num_queries):
    client = sign_in(dana)
    for _ in range(9):
        Notification.objects.create(
            user=dana, kind=Kind.MENTIONED, application=notice.application, at=timezone.now()
        )

    client.get(LIST)
    with django_assert_max_num_queries(10):
        client.get(LIST)


def test_a_notification_about_a_hit_of_the_records_leads_to_it(dana, tmp_path):
    load(tmp_path)
    supplier = make_supplier(name="Quillon Trading")
    record_hits.screen(PartyKind.SUPPLIER, supplier.pk, at=timezone.now())
    notice = Notification.objects.get(user=dana)
    client = sign_in(dana)

    page = text_of(client.get(LIST))
    answer = client.post(f"{LIST}{notice.pk}/open/")

    assert "There are new screening hits" in page
    assert "Supplier in the bank" in page
    assert answer.url == f"/admin/onboarding/screeninghit/{notice.hit_id}/change/"
