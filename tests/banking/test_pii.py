"""Personal numbers: sealed at rest, found by a blind index, masked when shown."""

import base64
import json
from datetime import UTC, datetime

import pytest
from django.core import serializers
from django.core.exceptions import FieldError, ImproperlyConfigured
from django.db import connection, models
from django.db.models import F, OuterRef, Q, Value
from django.forms import modelform_factory
from django.test.utils import CaptureQueriesContext, isolate_apps
from hypothesis import given
from hypothesis import strategies as st

from banking import pii
from onboarding.models import Lead, Owner

CONTEXT = "onboarding.lead.ssn"
SSN, OTHER_SSN = "123456789", "987654321"
NUMBERS = {"ssn": SSN, "ein": "123456780", "passport_number": "X12345678", "id_gov_number": "G-998"}
OLD, NEW = f"old:{'1a' * 32}", f"new:{'2b' * 32}"
NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


def raw(row, *columns):
    """Return the columns as the database holds them."""
    with connection.cursor() as cursor:
        names = ", ".join(columns)
        cursor.execute(f"SELECT {names} FROM {row._meta.db_table} WHERE id = %s", [row.pk])
        return cursor.fetchone()


def is_indexed(row, ssn):
    """Say whether exactly this SSN is stored, and found by its index."""
    index = pii.blind_index(ssn, context="ssn")
    stored = type(row).objects.filter(pk=row.pk, ssn_index=index).first()
    return stored is not None and stored.ssn == ssn


# The envelope


@given(text=st.text(min_size=1))
def test_what_is_sealed_opens_to_the_same_text(text):
    assert pii.unseal(pii.seal(text, context=CONTEXT), context=CONTEXT) == text


def test_an_envelope_names_its_key_and_repeats_nothing(settings):
    settings.PII_KEYS = f"{NEW},{OLD}"

    first, second = pii.seal(SSN, context=CONTEXT), pii.seal(SSN, context=CONTEXT)

    assert first.startswith("e1.new.")
    assert first != second
    assert SSN not in first


def test_a_value_that_was_moved_to_another_field_does_not_open():
    sealed = pii.seal(SSN, context=CONTEXT)

    with pytest.raises(pii.Unsealable, match=r"onboarding\.owner\.ssn"):
        pii.unseal(sealed, context="onboarding.owner.ssn")


def test_a_value_that_was_changed_does_not_open():
    version, key_id, body = pii.seal(SSN, context=CONTEXT).split(".")
    whole = bytearray(base64.urlsafe_b64decode(body))
    for position in range(len(whole)):
        changed = bytearray(whole)
        changed[position] ^= 1

        with pytest.raises(pii.Unsealable):
            pii.unseal(
                f"{version}.{key_id}.{base64.urlsafe_b64encode(changed).decode()}", context=CONTEXT
            )


@pytest.mark.parametrize(
    "sealed",
    ["123456789", "e1.test1", "e1.test1.", "e1.test1.AAAA", "e2.test1.AAAA", "e1.gone.AAAA", "é"],
)
def test_what_is_no_envelope_does_not_open(sealed):
    with pytest.raises(pii.Unsealable) as refusal:
        pii.unseal(sealed, context=CONTEXT)

    assert str(refusal.value) == "No key opens this value of onboarding.lead.ssn."


def test_the_first_key_seals_and_all_keys_unseal(settings):
    settings.PII_KEYS = OLD
    sealed_then = pii.seal(SSN, context=CONTEXT)
    settings.PII_KEYS = f"{NEW}, {OLD}"
    sealed_now = pii.seal(SSN, context=CONTEXT)

    assert (pii.primary_key_id(), pii.primary_prefix()) == ("new", "e1.new.")
    assert pii.unseal(sealed_then, context=CONTEXT) == SSN
    assert pii.unseal(sealed_now, context=CONTEXT) == SSN


def test_without_its_key_a_value_does_not_open(settings):
    settings.PII_KEYS = OLD
    sealed = pii.seal(SSN, context=CONTEXT)
    settings.PII_KEYS = NEW

    with pytest.raises(pii.Unsealable):
        pii.unseal(sealed, context=CONTEXT)


def test_another_key_under_the_same_id_does_not_open_a_value(settings):
    settings.PII_KEYS = f"old:{'1a' * 32}"
    sealed = pii.seal(SSN, context=CONTEXT)
    settings.PII_KEYS = f"old:{'2b' * 32}"

    with pytest.raises(pii.Unsealable):
        pii.unseal(sealed, context=CONTEXT)


@pytest.mark.parametrize(
    "keys",
    [
        *("", "old", "old:", "old:1a", f"old:{'1a' * 16}", f"old:{'zz' * 32}", f":{'1a' * 32}"),
        *(f"{OLD},", f"{OLD},{OLD}", f"a.b:{'1a' * 32}", f"{OLD}:{'1a' * 32}"),
    ],
)
def test_keys_that_could_lose_values_are_refused(settings, keys):
    settings.PII_KEYS = keys

    with pytest.raises(ImproperlyConfigured, match="PII_KEYS") as refusal:
        pii.seal(SSN, context=CONTEXT)

    assert "1a1a" not in str(refusal.value)


# The blind index


@pytest.mark.parametrize("text", ["123-45-6789", "123 45 6789", " 123456789", "123.45.6789"])
def test_the_index_of_a_number_does_not_depend_on_its_punctuation(text):
    assert pii.blind_index(text, context="ssn") == pii.blind_index(SSN, context="ssn")


def test_the_index_of_a_number_depends_on_everything_else(settings):
    index = pii.blind_index(SSN, context="ssn")
    settings.PII_INDEX_KEY = "another"

    others = [pii.blind_index(SSN, context="ssn")]
    settings.PII_INDEX_KEY = "test-index-key"
    others += [pii.blind_index(OTHER_SSN, context="ssn"), pii.blind_index(SSN, context="ein")]

    assert index == pii.blind_index(SSN, context="ssn")
    assert index not in others
    assert len(index) == 32
    assert pii.blind_index("ab1", context="id") == pii.blind_index("AB-1", context="id")


@pytest.mark.parametrize("text", ["", "-", " . "])
def test_where_there_is_no_number_there_is_no_index(text):
    assert pii.blind_index(text, context="ssn") == ""


def test_equal_numbers_match_across_models(make_lead, make_owner):
    lead, owner = make_lead(ssn=SSN), make_owner(ssn="123-45-6789")

    assert lead.ssn_index == owner.ssn_index == pii.blind_index(SSN, context="ssn")


# What is shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("123456789", "••••6789"),
        ("X12345678", "••••5678"),
        ("12345678", "••••"),
        ("1234", "••••"),
        ("1", "••••"),
        ("", ""),
    ],
)
def test_a_number_shows_its_last_four_if_they_are_less_than_half(text, shown):
    assert pii.mask(text) == shown


def test_no_form_is_made_of_a_sealed_field():
    form = modelform_factory(Lead, fields="__all__")

    assert not {*NUMBERS, "ssn_index", "ein_index"} & form.base_fields.keys()


# In the database


def test_nothing_is_in_clear_in_the_row(make_lead):
    lead = make_lead(**NUMBERS)

    for name, number in NUMBERS.items():
        [column] = raw(lead, name)
        assert column.startswith("e1.test2.")
        assert number not in column
    [everything] = [json.dumps(raw(lead, "*"), default=str)]
    assert not [number for number in NUMBERS.values() if number in everything]


def test_the_row_reads_in_clear_through_the_model(make_lead):
    pk = make_lead(**NUMBERS).pk

    lead = Lead.objects.get(pk=pk)

    assert {name: getattr(lead, name) for name in NUMBERS} == NUMBERS
    assert Lead.objects.values(*NUMBERS).get(pk=pk) == NUMBERS
    assert Lead.objects.values_list("ssn", flat=True).get(pk=pk) == SSN
    assert Lead.objects.only("ein").get(pk=pk).ein == NUMBERS["ein"]
    assert Lead.objects.annotate(copy=F("ssn")).get(pk=pk).copy == SSN


def test_no_statement_carries_a_number(make_lead):
    with CaptureQueriesContext(
        connection,
    ) as statements:
        lead = make_lead(**NUMBERS)
        lead.save()
        Lead.objects.filter(pk=lead.pk).update(ssn=OTHER_SSN)

    sent = json.dumps(statements.captured_queries)
    assert not [number for number in [*NUMBERS.values(), OTHER_SSN] if number in sent]


def test_an_empty_number_stays_empty(make_lead):
    lead = make_lead(ssn="")

    assert raw(lead, "ssn", "ssn_index") == ("", "")


def test_a_ciphertext_copied_between_fields_is_no_number(make_lead):
    lead = make_lead(**NUMBERS)
    Lead.objects.filter(pk=lead.pk).update(passport_number=F("id_gov_number"))

    with pytest.raises(pii.Unsealable):
        lead.refresh_from_db()


# Lookups


@pytest.mark.parametrize(
    "condition",
    [
        *(Q(ssn=SSN), Q(ssn__exact=SSN), Q(ssn__in=[SSN]), Q(ssn__iexact=SSN), Q(ssn=None)),
        *(Q(ssn__contains="6789"), Q(ssn__startswith="e"), Q(ssn__regex="."), Q(ssn__gt="")),
        *(Q(ssn__icontains="6789"), Q(ssn=F("ein")), Q(ssn=Value("")), Q(ssn=OuterRef("ein"))),
        Q(owners__ssn=SSN),
    ],
    ids=str,
)
def test_a_lookup_on_a_sealed_field_is_refused(condition):
    with pytest.raises(FieldError) as refusal:
        Lead.objects.filter(condition)

    assert SSN not in str(refusal.value)


def test_rows_are_found_by_whether_they_have_a_number(make_lead):
    having, lacking = make_lead(ssn=SSN), make_lead()

    assert Lead.objects.filter(ssn="").get() == lacking
    assert Lead.objects.exclude(ssn="").get() == having
    assert Lead.objects.filter(~Q(ssn=""), ssn__isnull=False).get() == having


# The index keeps up however a row is saved


def test_saving_some_fields_saves_the_index(make_lead):
    lead = make_lead(ssn=SSN)
    lead.ssn = OTHER_SSN
    lead.save(update_fields=["ssn"])

    assert is_indexed(lead, OTHER_SSN)


def test_saving_other_fields_saves_no_number(make_lead):
    lead = make_lead(ssn=SSN)
    before = raw(lead, "ssn", "ssn_index")
    lead.ssn = OTHER_SSN
    lead.save(update_fields=["city"])

    assert raw(lead, "ssn", "ssn_index") == before


def test_saving_a_row_whose_index_was_not_loaded_saves_the_index(make_lead):
    lead = Lead.objects.only("ssn").get(pk=make_lead(ssn=SSN).pk)
    lead.ssn = OTHER_SSN
    lead.save()

    assert is_indexed(lead, OTHER_SSN)


@pytest.mark.parametrize("loaded", [["city"], ["city", "ssn_index"]])
def test_saving_a_row_whose_number_was_not_loaded_touches_neither(make_lead, loaded):
    pk = make_lead(ssn=SSN).pk
    lead = Lead.objects.only(*loaded).get(pk=pk)
    Lead.objects.filter(pk=pk).update(ssn=OTHER_SSN)
    lead.city = "Arlington"

    with CaptureQueriesContext(connection) as statements:
        lead.save()

    updates = [query["sql"] for query in statements if query["sql"].startswith("UPDATE")]
    assert len(updates) == 1
    assert "ssn" not in updates[0]
    assert is_indexed(lead, OTHER_SSN)


def test_a_number_set_on_a_row_that_was_not_loaded_saves_the_index(make_lead):
    lead = Lead.objects.only("city").get(pk=make_lead(ssn=SSN).pk)
    lead.ssn = OTHER_SSN
    lead.save()

    assert is_indexed(lead, OTHER_SSN)


def test_an_update_statement_sets_the_index(make_lead):
    lead = make_lead(ssn=SSN)
    Lead.objects.filter(pk=lead.pk).update(ssn=OTHER_SSN)

    assert is_indexed(lead, OTHER_SSN)


def test_an_update_statement_through_a_relation_sets_the_index(make_owner):
    owner = make_owner(ssn=SSN)
    owner.lead.owners.update(ssn="")

    assert raw(owner, "ssn", "ssn_index") == ("", "")


@pytest.mark.parametrize("value", [F("ein"), Value(SSN), None], ids=str)
def test_an_update_statement_takes_a_text_only(make_lead, value):
    make_lead(ssn=SSN)

    with pytest.raises(FieldError, match="not with an expression"):
        Lead.objects.update(ssn=value)


def test_a_bulk_update_sets_the_indexes(make_owner):
    owners = [make_owner(ssn=SSN), make_owner()]
    owners[0].ssn, owners[1].ssn = "", OTHER_SSN
    Owner.objects.bulk_update((owner for owner in owners), ["ssn", "title"])

    assert raw(owners[0], "ssn", "ssn_index") == ("", "")
    assert is_indexed(owners[1], OTHER_SSN)


def test_a_bulk_create_sets_the_indexes(make_lead):
    lead = make_lead()
    owners = Owner.objects.bulk_create(
        [Owner(lead=lead, email=f"{ssn}@example.com", ssn=ssn) for ssn in (SSN, OTHER_SSN)]
    )

    assert is_indexed(owners[0], SSN)
    assert is_indexed(owners[1], OTHER_SSN)


def test_a_bulk_create_over_existing_rows_sets_the_indexes(make_owner):
    owner = make_owner(ssn=SSN)
    again = Owner(pk=owner.pk, lead=owner.lead, email=owner.email, ssn=OTHER_SSN, created_at=NOON)
    Owner.objects.bulk_create(
        [again], update_conflicts=True, unique_fields=["id"], update_fields=["ssn"]
    )

    assert is_indexed(owner, OTHER_SSN)


def test_update_or_create_sets_the_index(make_lead):
    lead = make_lead(ssn=SSN)
    Lead.objects.update_or_create(email=lead.email, defaults={"ssn": OTHER_SSN})

    assert is_indexed(lead, OTHER_SSN)


def test_a_fixture_comes_back_sealed(make_lead):
    lead = make_lead(ssn=SSN)
    dumped = serializers.serialize("json", [lead])
    [loaded] = serializers.deserialize("json", dumped)
    loaded.save()

    assert raw(lead, "ssn")[0].startswith("e1.")
    assert is_indexed(lead, SSN)


@isolate_apps("onboarding")
def test_a_model_that_would_not_keep_its_index_fails_the_checks():
    class Careless(models.Model):  # noqa: DJ008 - nobody prints it
        ssn = pii.SealedField()
        ssn_index = pii.BlindIndexField(of="ssn", context="ssn")

        class Meta:
            app_label = "onboarding"

    class Careful(pii.SealedModel):
        ssn = pii.SealedField()
        ssn_index = pii.BlindIndexField(of="ssn", context="ssn")
        objects = pii.SealedQuerySet.as_manager()

        class Meta:
            app_label = "onboarding"

    assert [fault.id for fault in Careless.check()] == ["pii.E001"]
    assert Careful.check() == []
