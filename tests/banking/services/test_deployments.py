"""The secrets that belong to a database."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext, override_settings

from banking.models import Deployment
from banking.services import deployments
from banking.services.deployments import SecretsDiffer
from tests.factories import NOON

OLD, NEW, OTHER = (f"{key_id}:{digits * 32}" for key_id, digits in [
    ("old", "1a"), ("new", "2b"), ("old", "3c"),
])  # fmt: skip
SINGLE = ["SECRET_KEY", "API_KEY_PEPPER", "LINK_KEY"]
pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def one_key(settings):
    settings.PII_KEYS = OLD


def start():
    deployments.verify(at=NOON, may_record=True)


def required_keys():
    return set(Deployment.objects.defer("canary").get().fingerprints["PII_KEYS"])


def test_the_first_start_records_and_the_next_one_is_one_statement():
    start()

    with CaptureQueriesContext(connection) as statements:
        start()

    assert len(statements) == 1
    assert Deployment.objects.get().canary == "canary"


def test_no_secret_is_in_the_row(settings):
    start()

    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM banking_deployment")
        row = str(cursor.fetchone())
    secrets = [getattr(settings, name) for name in SINGLE]
    assert not [secret for secret in [*secrets, "1a" * 32, "3c" * 32] if secret in row]


def test_a_command_records_nothing():
    deployments.verify(at=NOON, may_record=False)

    assert not Deployment.objects.exists()


@pytest.mark.parametrize("name", SINGLE)
def test_a_secret_that_differs_is_refused_by_name_until_it_is_accepted(name, settings):
    start()
    setattr(settings, name, "another")

    with pytest.raises(SecretsDiffer, match=rf"^{name} is not the one .* accept_secrets NAME"):
        start()
    deployments.accept([name], at=NOON)
    start()


@pytest.mark.parametrize(
    ("keys", "fault"),
    [
        (NEW, "^PII_KEYS lacks the key old, which has encrypted values"),
        (OTHER, "^PII_KEYS has another key under the id .old. than"),
    ],
)
def test_keys_that_do_not_open_the_values_are_refused(keys, fault, settings):
    start()
    settings.PII_KEYS = keys

    with pytest.raises(SecretsDiffer, match=fault):
        start()


@pytest.mark.parametrize(
    ("keys", "fault"),
    [
        (f"2026:{'5e' * 32}", "^PII_INDEX_KEYS lacks the key test1, which has indexed numbers"),
        (f"test1:{'5e' * 32}", "^PII_INDEX_KEYS has another key under the id .test1. than"),
    ],
)
def test_index_keys_that_do_not_find_the_numbers_are_refused(keys, fault, settings):
    start()
    settings.PII_INDEX_KEYS = keys

    with pytest.raises(SecretsDiffer, match=fault):
        start()


def test_the_key_recorded_under_the_former_name_is_known_without_an_id(settings):
    settings.PII_INDEX_KEYS = ":an old key of any text"
    start()
    row = Deployment.objects.get()
    row.fingerprints["PII_INDEX_KEY"] = row.fingerprints.pop("PII_INDEX_KEYS")[""]
    row.save()

    start()
    settings.PII_INDEX_KEYS = f"2026:{'5e' * 32},:an old key of any text"
    start()

    settings.PII_INDEX_KEYS = ":another"
    with pytest.raises(SecretsDiffer, match=r"has another key under the id .. than"):
        start()


def test_a_canary_that_does_not_open_is_refused():
    start()
    with connection.cursor() as cursor:
        cursor.execute("UPDATE banking_deployment SET canary = 'e2.old.AAAA'")

    with pytest.raises(SecretsDiffer, match="does not open the canary"):
        start()


@pytest.mark.parametrize("name", ["SECRET_KEY", "API_KEY_PEPPER"])
def test_an_old_secret_among_the_fallbacks_is_no_difference(settings, name):
    start()
    setattr(settings, f"{name}_FALLBACKS", [getattr(settings, name)])
    setattr(settings, name, "another")

    start()


def test_a_new_first_key_is_required_from_then_on(settings):
    start()
    settings.PII_KEYS = f"{NEW},{OLD}"

    start()

    assert required_keys() == {"old", "new"}
    settings.PII_KEYS = OLD
    with pytest.raises(SecretsDiffer, match="lacks the key new"):
        start()


def test_a_new_key_behind_the_first_one_is_not_required_yet(settings):
    start()
    settings.PII_KEYS = f"{OLD},{NEW}"

    start()

    assert required_keys() == {"old"}


def test_old_keys_can_be_taken_away_once_they_are_forgotten(settings):
    start()
    settings.PII_KEYS = f"{NEW},{OLD}"
    start()

    deployments.forget_old_keys("PII_KEYS")

    assert required_keys() == {"new"}


def test_before_anything_is_recorded_there_is_nothing_to_forget():
    deployments.forget_old_keys("PII_KEYS")

    assert not Deployment.objects.exists()


def test_secrets_are_not_recorded_beside_values_that_they_do_not_open(make_owner, settings):
    make_owner(ssn="123-45-6789")
    settings.PII_KEYS = NEW

    with pytest.raises(SecretsDiffer, match=r"does not open the values of onboarding\.owner\.ssn"):
        start()
    assert not Deployment.objects.exists()
    deployments.accept(["PII_KEYS"], at=NOON)
    start()


def test_secrets_are_not_recorded_beside_blind_indexes_of_another_key(make_owner, settings):
    make_owner(ssn="123-45-6789")
    settings.PII_INDEX_KEYS = f"test1:{'5e' * 32}"

    with pytest.raises(SecretsDiffer, match="PII_INDEX_KEYS is not that of"):
        start()


def test_of_two_programs_that_start_first_at_once_with_other_secrets_one_is_refused(monkeypatch):
    record = deployments.record

    def record_second(*, at):
        with override_settings(LINK_KEY="another"):
            record(at=at)
        record(at=at)

    monkeypatch.setattr(deployments, "record", record_second)

    with pytest.raises(SecretsDiffer, match="LINK_KEY"):
        start()
