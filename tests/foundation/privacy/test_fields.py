"""Personal numbers: sealed at rest, found by a blind index, masked when shown."""

import json
from uuid import uuid4

import pytest
from django.core import serializers
from django.core.exceptions import FieldError
from django.db import IntegrityError, connection, models
from django.db.models import F, OuterRef, Q, Value
from django.db.models.functions import Coalesce
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


def save_ssn(pk, ssn):
    """Save an SSN, as another process does."""
    lead = Lead.objects.get(pk=pk)
    lead.ssn = ssn
    lead.save(update_fields=["ssn"])


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
        assert column.startswith("e2.test2.")
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
        lead.ssn = OTHER_SSN
        Lead.objects.bulk_update([lead], ["ssn"])
        lead.clean_fields(exclude=["is_control_person"])
        lead.validate_constraints()

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
    save_ssn(pk, OTHER_SSN)
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


def test_an_update_statement_through_a_relation_sets_the_index(make_owner):
    owner = make_owner(ssn=SSN)
    owner.lead.owners.update(ssn="")

    assert raw(owner, "ssn", "ssn_index") == ("", "")


@pytest.mark.parametrize("value", [OTHER_SSN, F("ein"), Value(SSN), None], ids=str)
def test_an_update_statement_of_many_rows_only_empties_a_number(make_lead, value):
    make_lead(ssn=SSN)

    with pytest.raises(FieldError, match="emptied by an update, or saved") as refusal:
        Lead.objects.update(ssn=value)
    assert SSN not in str(refusal.value)


def test_an_update_statement_of_a_number_without_an_index_is_refused_too(make_lead):
    make_lead(passport_number="X12345678")

    with pytest.raises(FieldError, match=r"lead\.passport_number is saved with its row"):
        Lead.objects.update(passport_number="X87654321")


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


def test_a_bulk_create_over_existing_rows_leaves_numbers_alone(make_owner):
    owner = make_owner(ssn=SSN)
    again = Owner(
        pk=owner.pk, lead=owner.lead, email=owner.email, ssn=OTHER_SSN, created_at=owner.created_at
    )

    with pytest.raises(FieldError, match="its row differs"):
        Owner.objects.bulk_create(
            [again], update_conflicts=True, unique_fields=["id"], update_fields=["ssn"]
        )
    assert is_indexed(owner, SSN)


def test_update_or_create_sets_the_index(make_lead):
    lead = make_lead(ssn=SSN)
    Lead.objects.update_or_create(email=lead.email, defaults={"ssn": OTHER_SSN})

    assert is_indexed(lead, OTHER_SSN)


def test_a_fixture_comes_back_sealed(make_lead):
    lead = make_lead(ssn=SSN)
    dumped = serializers.serialize("json", [lead])
    assert SSN not in dumped
    [loaded] = serializers.deserialize("json", dumped)
    loaded.save()

    assert raw(lead, "ssn")[0].startswith("e2.")
    assert is_indexed(lead, SSN)


def test_a_fixture_in_clear_is_refused(make_lead):
    lead = make_lead(ssn=SSN)
    [row] = json.loads(serializers.serialize("json", [lead]))
    row["fields"]["ssn"] = OTHER_SSN
    [loaded] = serializers.deserialize("json", json.dumps([row]))

    with pytest.raises(FieldError, match="saved with its row"):
        loaded.save()


# A value belongs to its row and column


def swap(column, first, second):
    """Exchange the values of a column between two rows by SQL."""
    values = raw(first, column)[0], raw(second, column)[0]
    for row, value in zip((first, second), reversed(values), strict=True):
        put(row, column, value)


def put(row, column, value):
    with connection.cursor() as cursor:
        table = row._meta.db_table
        cursor.execute(f"UPDATE {table} SET {column} = %s WHERE id = %s", [value, row.pk])


def test_swapped_numbers_of_two_people_are_read_in_neither_row(make_lead, caplog):
    leads = make_lead(ssn=SSN), make_lead(ssn=OTHER_SSN)
    swap("ssn", *leads)

    for lead in leads:
        fault = f"onboarding.lead.ssn of row {lead.external_id.hex}: this value was changed, or"
        with pytest.raises(encryption.DecryptionError, match=fault) as refusal:
            Lead.objects.get(pk=lead.pk)
        assert fault in caplog.text
        assert not [text for text in (SSN, OTHER_SSN, "e2.") if text in str(refusal.value)]
    assert not [text for text in (SSN, OTHER_SSN, "e2.") if text in caplog.text]


def test_a_number_does_not_move_to_another_row_with_the_id_of_its_own(make_lead):
    lead, other = make_lead(ssn=SSN), make_lead(ssn=OTHER_SSN)
    put(other, "ssn", raw(lead, "ssn")[0])
    put(other, "ssn_index", raw(lead, "ssn_index")[0])

    with pytest.raises(encryption.DecryptionError):
        other.refresh_from_db()
    assert Lead.objects.get(pk=lead.pk).ssn == SSN


def test_a_payment_to_another_supplier_does_not_take_the_account_number(make_payee):
    payees = make_payee(account_number="1111222233"), make_payee(account_number="4444555566")
    swap("account_number", *payees)

    for payee in payees:
        with pytest.raises(encryption.DecryptionError, match=r"banking\.payee\.account_number"):
            payee.refresh_from_db()


def test_a_value_from_before_is_read_until_its_key_is_removed(make_lead, settings):
    lead = make_lead(ssn=SSN)
    old = encryption.encrypt(OTHER_SSN, context=CONTEXT)
    put(lead, "ssn", old)
    lead.refresh_from_db()
    assert (old[:3], lead.ssn) == ("e1.", OTHER_SSN)

    settings.PII_KEYS = f"new:{'4d' * 32}"
    with pytest.raises(encryption.DecryptionError, match="PII_KEYS lacks the key of this value"):
        lead.refresh_from_db()


def test_values_move_between_rows_in_python(make_lead, make_owner):
    lead, owner = make_lead(ssn=SSN), make_owner()
    owner.ssn = lead.ssn
    owner.save()
    copied = Lead.objects.get(pk=lead.pk)
    copied.pk, copied.external_id, copied.email = None, uuid4(), "copy@example.com"
    copied.save(force_insert=True)

    assert is_indexed(owner, SSN)
    assert is_indexed(copied, SSN)


def test_an_id_that_is_set_as_text_names_the_same_row(make_lead):
    template = make_lead(ssn=SSN)
    template.pk, template.external_id, template.email = None, str(uuid4()), "text@example.com"
    template.save(force_insert=True)

    assert Lead.objects.get(pk=template.pk).ssn == SSN


def test_related_rows_are_read_with_their_own_ids(make_owner):
    owner = make_owner(ssn=OTHER_SSN)
    owner.lead.ssn = SSN
    owner.lead.save()

    found = Owner.objects.select_related("lead").get(pk=owner.pk)

    assert (found.ssn, found.lead.ssn) == (OTHER_SSN, SSN)
    assert Owner.objects.values_list("ssn", "lead__ssn").get(pk=owner.pk) == (OTHER_SSN, SSN)


def test_a_number_is_not_selected_through_an_expression(make_lead):
    with pytest.raises(FieldError, match="selected as a column of its table"):
        list(Lead.objects.annotate(copied=Coalesce("ssn", "ein")).values("copied"))


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


@pytest.mark.django_db
@pytest.mark.parametrize("made_by", ["make_lead", "make_owner", "make_webhook"])
def test_the_id_that_a_number_is_bound_to_never_changes(request, made_by):
    row = request.getfixturevalue(made_by)()

    with pytest.raises(IntegrityError, match="external_id_is_fixed"):
        type(row).objects.filter(pk=row.pk).update(external_id=uuid4())
