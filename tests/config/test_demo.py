"""What a sandbox starts with."""

import json
import shlex
import stat
from datetime import UTC, datetime

import pytest

from banking.choices import UserType
from banking.demo import bank, cast
from banking.models import Transaction, User
from config import demo, env
from onboarding.models import ApiKey, Application, Partner
from onboarding.services.partners import api_keys

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
NAMES = [
    "BASE_URL", "MCP_URL", "SCHEME_WORD", "ACCESS_KEY", "SECRET_KEY", "ACCESS_KEY2", "SECRET_KEY2",
    "ADMIN_USER", "ADMIN_PASSWORD", "REVIEWER_USER", "REVIEWER_PASSWORD",
    "APPROVER_USER", "APPROVER_PASSWORD", "ADMINISTRATOR_USER", "ADMINISTRATOR_PASSWORD",
    "OPERATIONS_USER", "OPERATIONS_PASSWORD", "OPERATIONS2_USER", "OPERATIONS2_PASSWORD",
    "AUDITOR_USER", "AUDITOR_PASSWORD", "SUPPORT_USER", "SUPPORT_PASSWORD",
]  # fmt: skip
CUSTOMER_NAMES = [
    "OWNER_EMAIL", "OWNER_PASSWORD", "ACCOUNTANT_EMAIL", "ACCOUNTANT_PASSWORD",
    "OWNER_EMAIL2", "OWNER_PASSWORD2", "ACCOUNTANT_EMAIL2", "ACCOUNTANT_PASSWORD2",
]  # fmt: skip

pytestmark = pytest.mark.django_db


@pytest.fixture
def file(tmp_path):
    return tmp_path / "demo.env"


def works(facts, suffix=""):
    key = ApiKey.objects.live(at=NOON).get(access_key=facts[f"ACCESS_KEY{suffix}"])
    return key.secret_digest == api_keys.secret_digest(facts[f"SECRET_KEY{suffix}"])


def test_the_first_run_makes_two_partners_and_an_administrator(file):
    facts, are_new = demo.prepare(file, at=NOON)

    assert are_new
    assert list(facts) == NAMES
    assert works(facts)
    assert works(facts, "2")
    assert Partner.objects.count() == 2
    admin = User.objects.get(email=facts["ADMIN_USER"])
    assert admin.is_superuser
    assert admin.check_password(facts["ADMIN_PASSWORD"])


def test_a_reviewer_an_approver_and_a_second_administrator_are_there(file):
    facts, _ = demo.prepare(file, at=NOON)

    for name in demo.STAFF:
        user = User.objects.get(email=facts[f"{name}_USER"])
        assert user.check_password(facts[f"{name}_PASSWORD"])
        assert [group.name for group in user.groups.all()] == [name.rstrip("2").capitalize()]
        assert (user.is_staff, user.is_superuser) == (True, False)


def test_staff_whose_password_nobody_knows_get_a_new_one(file):
    first, _ = demo.prepare(file, at=NOON)
    file.write_text(f"{file.read_text()}REVIEWER_PASSWORD=\n")

    second, are_new = demo.prepare(file, at=NOON)

    assert are_new
    assert second["REVIEWER_PASSWORD"] != first["REVIEWER_PASSWORD"]
    assert second["APPROVER_PASSWORD"] == first["APPROVER_PASSWORD"]
    assert User.objects.filter(email=first["REVIEWER_USER"]).count() == 1


def test_the_file_tells_the_facts_to_its_owner_alone(file):
    facts, _ = demo.prepare(file, at=NOON)

    assert env.assignments(file) == facts
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [path.name for path in file.parent.iterdir()] == ["demo.env"]


def test_a_later_run_keeps_everything(file):
    first, _ = demo.prepare(file, at=NOON)

    second, are_new = demo.prepare(file, at=NOON)

    assert not are_new
    assert second == first
    assert ApiKey.objects.count() == 2


def test_a_new_port_reaches_the_file(file, settings):
    first, _ = demo.prepare(file, at=NOON)
    settings.BASE_URL = "http://127.0.0.1:9999"
    settings.MCP_URL = "http://127.0.0.1:9999/mcp"

    second, are_new = demo.prepare(file, at=NOON)

    assert not are_new
    addresses = {"BASE_URL": settings.BASE_URL, "MCP_URL": settings.MCP_URL}
    assert second == {**first, **addresses}
    assert env.assignments(file) == second


def test_a_run_that_died_before_it_wrote_the_file_is_healed(file):
    lost, _ = demo.prepare(file, at=NOON)
    file.unlink()

    facts, are_new = demo.prepare(file, at=NOON)

    assert are_new
    assert works(facts)
    assert works(facts, "2")
    assert Partner.objects.count() == 2
    admin = User.objects.get(email=facts["ADMIN_USER"])
    assert admin.check_password(facts["ADMIN_PASSWORD"])
    live = ApiKey.objects.live(at=NOON).values_list("access_key", flat=True)
    assert lost["ACCESS_KEY"] not in live


@pytest.mark.parametrize("line", ["SECRET_KEY=", "SECRET_KEY=sk_sb_other", "ACCESS_KEY=ak_sb_x"])
def test_only_the_key_that_does_not_work_is_replaced(file, line):
    first, _ = demo.prepare(file, at=NOON)
    file.write_text(f"{file.read_text()}{line}\n")

    second, are_new = demo.prepare(file, at=NOON)

    assert are_new
    assert works(second)
    assert second["ACCESS_KEY"] != first["ACCESS_KEY"]
    kept = ["ACCESS_KEY2", "SECRET_KEY2", "ADMIN_PASSWORD"]
    assert [second[name] for name in kept] == [first[name] for name in kept]


def test_a_secret_in_its_grace_period_is_kept(file):
    first, _ = demo.prepare(file, at=NOON)
    api_keys.rotate_api_key(ApiKey.objects.get(access_key=first["ACCESS_KEY"]), at=NOON)

    second, are_new = demo.prepare(file, at=NOON)

    assert not are_new
    assert second == first


def test_an_empty_database_gets_a_new_demo(file):
    first, _ = demo.prepare(file, at=NOON)
    ApiKey.objects.all().delete()
    Partner.objects.all().delete()
    User.objects.all().delete()

    second, are_new = demo.prepare(file, at=NOON)

    assert are_new
    assert second["ADMIN_PASSWORD"] != first["ADMIN_PASSWORD"]
    assert works(second)


def test_without_a_bank_nobody_of_it_signs_in(file):
    facts, _ = demo.prepare(file, at=NOON)

    assert not {*CUSTOMER_NAMES} & {*facts}


@pytest.fixture
def customers():
    """Return four people of the demo bank as loading it leaves them: without a password."""
    create = User.objects.create_user
    return [
        create(cast.BUSINESS_USER),
        create(cast.ACCOUNTANT_USER, user_type=UserType.ACCOUNTANT),
        create(cast.OTHER_BUSINESS_USER),
        create(cast.OTHER_ACCOUNTANT_USER, user_type=UserType.ACCOUNTANT),
    ]


def test_two_owners_and_two_accountants_get_passwords(file, customers):
    facts, are_new = demo.prepare(file, at=NOON)

    assert are_new
    assert list(facts) == [*NAMES, *CUSTOMER_NAMES]
    pairs = zip(CUSTOMER_NAMES[::2], CUSTOMER_NAMES[1::2], strict=True)
    for user, (email, password) in zip(customers, pairs, strict=True):
        user.refresh_from_db()
        assert facts[email] == user.email
        assert user.check_password(facts[password])
    assert len({facts[name] for name in CUSTOMER_NAMES}) == len(CUSTOMER_NAMES)


def test_their_passwords_are_kept(file, customers):
    first, _ = demo.prepare(file, at=NOON)

    second, are_new = demo.prepare(file, at=NOON)

    assert not are_new
    assert second == first


def test_a_bank_that_was_loaded_anew_gets_new_passwords(file, customers):
    first, _ = demo.prepare(file, at=NOON)
    for user in customers:
        user.set_unusable_password()
        user.save()

    second, are_new = demo.prepare(file, at=NOON)

    assert are_new
    assert second["OWNER_PASSWORD"] != first["OWNER_PASSWORD"]
    assert User.objects.get(email=cast.BUSINESS_USER).check_password(second["OWNER_PASSWORD"])


def test_a_bank_that_is_there_is_looked_up_and_no_more(customers, django_assert_num_queries):
    with django_assert_num_queries(1):
        demo.load_bank()

    assert not Transaction.objects.exists()


def test_a_bank_that_is_missing_is_loaded(monkeypatch):
    wanted = []
    monkeypatch.setattr(bank, "load", wanted.append)

    demo.load_bank()

    assert [(asked.businesses, asked.months) for asked in wanted] == [(3, 18)]


def test_staff_have_work_unless_somebody_has_applied():
    demo.load_applications()
    demo.load_applications()

    assert Application.objects.count() == demo.APPLICATIONS


def test_the_curl_command_can_be_pasted(file):
    facts, _ = demo.prepare(file, at=NOON)

    words = shlex.split(demo.curl(facts))

    assert words[:4] == ["curl", "-X", "PUT", "http://testserver/service/api/v1/lead"]
    assert f"Authorization: Vestibule {facts['ACCESS_KEY']}:{facts['SECRET_KEY']}" in words
    assert "email" in json.loads(words[-1])
