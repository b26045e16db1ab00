"""Alerts about hits of the bank's records: the clock, the notification, and the mail to staff."""

import pytest

from onboarding.business_hours import HOURS_OF_A_DAY, add_business_hours
from onboarding.choices import HitStatus, NotificationKind, PartyKind
from onboarding.event_types import MailKind
from onboarding.models import Mail, Notification, ScreeningHit
from onboarding.queries.screening_hits import alerts_of_records
from onboarding.services.checks import record_hits
from onboarding.services.mails import mail_texts
from onboarding.services.mails.facts import Overtaken
from onboarding.services.notifications import mark_read
from onboarding.services.reviews import hit_judgements
from onboarding.services.reviews.hit_scopes import RecordHits
from tests.factories import NOON, later, make_supplier, make_user
from tests.onboarding.cases import make_case, make_reviewer
from tests.onboarding.hits import REASON, make_hit, seen
from tests.onboarding.sanctions_files import SDN, load, recheck

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada():
    return make_reviewer()


@pytest.fixture
def bob():
    return make_reviewer("confirm_application")


@pytest.fixture
def supplier():
    return make_supplier(name="Quillon Trading")


def screen(supplier, at=NOON):
    record_hits.screen(PartyKind.SUPPLIER, supplier.pk, at=at)
    return ScreeningHit.objects.get(party_row=supplier.pk)


def test_a_new_hit_of_the_records_has_a_clock_and_tells_each_reviewer(
    ada, bob, supplier, tmp_path, settings
):
    make_user(user_type="STAFF")  # who may not judge
    load(tmp_path)

    hit = screen(supplier)
    screen(supplier, at=later())

    assert ScreeningHit.objects.get().due_at == add_business_hours(NOON, HOURS_OF_A_DAY)
    told = Notification.objects.order_by("user")
    assert [(one.user, one.kind, one.hit, one.application) for one in told] == [
        (user, NotificationKind.NEW_HIT, hit, None) for user in (ada, bob)
    ]
    mail = Mail.objects.filter(kind=MailKind.SCREENING_HITS).earliest("pk")
    message = mail_texts.compose(mail, at=later())
    assert (message.to, message.subject) == (
        [ada.email], "1 new screening hit in the bank's records",
    )  # fmt: skip
    assert f"{settings.BASE_URL}/admin/onboarding/screeninghit/?state=records" in message.body
    assert "Quillon" not in message.body
    assert "queue=hits" not in message.body


def test_hits_of_a_list_on_many_records_are_one_mail(ada, tmp_path):
    for number in range(3):
        make_supplier(name=f"Quillon Trading {'ABC'[number]}")
    load(tmp_path)

    list(recheck(at=later(days=1)))

    assert alerts_of_records().count() == 3
    assert Mail.objects.filter(kind=MailKind.SCREENING_HITS).count() == 1


def test_a_hit_before_the_notification_of_another_was_read_is_in_the_queued_mail(
    ada, supplier, tmp_path
):
    load(tmp_path)
    screen(supplier)
    screen(make_supplier(name="Quillon Trading B"), at=later(hours=1))

    mark_read(ada, at=later(hours=2))

    message = mail_texts.compose(Mail.objects.get(), at=later(hours=3))
    assert message.subject == "2 new screening hits in the bank's records"


def test_a_read_notification_of_the_only_hit_ends_the_mail(ada, supplier, tmp_path):
    load(tmp_path)
    screen(supplier)

    mark_read(ada, at=later(minutes=1))

    with pytest.raises(Overtaken):
        mail_texts.compose(Mail.objects.get(), at=later(minutes=5))


def test_judged_hits_end_the_alert_and_the_mail(ada, bob, supplier, tmp_path):
    load(tmp_path)
    hit, scope = screen(supplier), RecordHits(PartyKind.SUPPLIER, supplier.pk)

    verdict = HitStatus.FALSE_POSITIVE
    [made] = hit_judgements.judge(scope, verdict, hits=seen(hit), reason=REASON, by=ada, at=later())
    waiting = alerts_of_records().count()
    hit_judgements.confirm(scope, clearings=[made.external_id], by=bob, at=later(hours=1))

    assert (waiting, alerts_of_records().count()) == (1, 0)
    with pytest.raises(Overtaken):
        mail_texts.compose(Mail.objects.earliest("pk"), at=later(hours=2))


def test_an_inconclusive_hit_is_open_and_no_alert(ada, supplier, tmp_path):
    load(tmp_path)
    hit, scope = screen(supplier), RecordHits(PartyKind.SUPPLIER, supplier.pk)

    verdict = HitStatus.INCONCLUSIVE
    hit_judgements.judge(scope, verdict, hits=seen(hit), reason=REASON, by=ada, at=later())

    assert ScreeningHit.objects.get().due_at is None


def test_a_hit_that_is_to_be_judged_again_is_an_alert_again(ada, bob, supplier, tmp_path):
    load(tmp_path)
    hit, scope = screen(supplier), RecordHits(PartyKind.SUPPLIER, supplier.pk)
    verdict = HitStatus.CONFIRMED
    hit_judgements.judge(scope, verdict, hits=seen(hit), reason=REASON, by=ada, at=later())

    load(tmp_path, sdn=[SDN[0].replace("CUBA", "IRAN"), *SDN[1:]], at=later(days=1))
    list(recheck(at=later(days=2)))

    hit.refresh_from_db()
    assert hit.due_at == add_business_hours(later(days=2), HOURS_OF_A_DAY)
    assert hit.status == HitStatus.UNREVIEWED


def test_a_gone_record_ends_the_alert(ada, supplier, tmp_path):
    load(tmp_path)
    screen(supplier)
    pk = supplier.pk
    supplier.delete()

    record_hits.screen(PartyKind.SUPPLIER, pk, at=later())

    assert ScreeningHit.objects.get().due_at is None


def test_a_mail_counts_customers_and_records(ada, supplier, tmp_path):
    case = make_case("APPROVED")
    make_hit(case)
    type(case).objects.update(new_hit_at=NOON)
    load(tmp_path)
    screen(supplier)

    message = mail_texts.compose(Mail.objects.earliest("pk"), at=later())

    assert message.subject == "1 customer has new screening hits"
    assert "queue=hits" in message.body
    assert "state=records" in message.body
