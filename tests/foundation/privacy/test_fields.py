"""Personal numbers: sealed at rest, found by a blind index, masked when shown."""

import json

import pytest
from django.core import serializers
from django.core.exceptions import FieldError
from django.db import connection, models
from django.db.models import F, OuterRef, Q, Value
from django.forms import modelform_factory
from django.test.utils import CaptureQueriesContext, isolate_apps

from foundation.privacy import encryption, fields
from onboarding.models import Lead, Owner

CONTEXT = "onboarding.lead.ssn"
SSN, OTHER_SSN = "123456789", "987654321"
NUMBERS = {"ssn": SSN, "ein": "123456780", "passport_number": "X12345678", "id_gov_number": "G-998"}


def raw(row, *columns):
    """Return the columns as the database holds them."""
    with connection.cursor() as cursor:
        names = ", ".join(columns)
        cursor.execute(f"SELECT {names} FROM {row._meta.db_table} WHERE id = %s", [row.pk])
        return cursor.fetchone()


def is_indexed(row, ssn):
    """Say whether exactly this SSN is stored, and found by its index."""
    index = encryption.blind_index(ssn, context="ssn")
    stored = type(row).objects.filter(pk=row.pk, ssn_index=index).first()
    return stored is not None and stored.ssn == ssn


def test_equal_numbers_match_across_models(make_lead, make_owner):
    lead, owner = make_lead(ssn=SSN), make_owner(ssn="123-45-6789")

    assert lead.ssn_index == owner.ssn_index == encryption.blind_index(SSN, context="ssn")


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

    with pytest.raises(encryption.DecryptionError):
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
    again = Owner(
        pk=owner.pk, lead=owner.lead, email=owner.email, ssn=OTHER_SSN, created_at=owner.created_at
    )
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
        ssn = fields.EncryptedField()
        ssn_index = fields.BlindIndexField(of="ssn", context="ssn")

        class Meta:
            app_label = "onboarding"

    class Careful(fields.EncryptedModel):
        ssn = fields.EncryptedField()
        ssn_index = fields.BlindIndexField(of="ssn", context="ssn")
        objects = fields.EncryptedQuerySet.as_manager()

        class Meta:
            app_label = "onboarding"

    assert [fault.id for fault in Careless.check()] == ["pii.E001"]
    assert Careful.check() == []
