import pytest

from onboarding.models import DocumentRule
from tests.staff import confirm_change

RULES = "/admin/onboarding/documentrule/"


@pytest.fixture
def form():
    return {
        "business_type": "LLC",
        "code": "ADDRESS_PROOF",
        "accepted_types": ["UTILITY_BILL", "PASSPORT"],
        "message": "A bill with the address.",
        "message_es": "Una factura con la dirección.",
    }


def test_staff_add_a_slot_to_a_checklist(form, chief):
    chief.post(f"{RULES}add/", form)
    confirm_change()

    rule = DocumentRule.objects.get(code="ADDRESS_PROOF")
    assert rule.accepted_types == ["UTILITY_BILL", "PASSPORT"]
    assert rule.message_es == "Una factura con la dirección."


def test_staff_change_what_fills_a_slot(chief, form):
    rule = DocumentRule.objects.create(**{**form, "accepted_types": ["PASSPORT"]})

    page = chief.get(f"{RULES}{rule.pk}/change/").content.decode()
    chief.post(f"{RULES}{rule.pk}/change/", {**form, "accepted_types": ["UTILITY_BILL"]})
    confirm_change()

    rule.refresh_from_db()
    assert page.count(" checked") == 1
    assert rule.accepted_types == ["UTILITY_BILL"]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("accepted_types", ["SELFIE"]),
        ("accepted_types", []),
        ("code", "not like this"),
        ("code", "EIN_PROOF"),
        ("business_type", "GMBH"),
        ("message", ""),
    ],
)
def test_a_rule_that_could_not_be_met_is_refused(form, chief, field, value):
    DocumentRule.objects.get_or_create(
        business_type="LLC", code="EIN_PROOF", defaults={"accepted_types": [], "message": "x"}
    )
    count = DocumentRule.objects.count()

    response = chief.post(f"{RULES}add/", {**form, field: value})

    assert response.status_code == 200
    assert DocumentRule.objects.count() == count


def test_changing_rules_needs_the_permission(form, make_staff):
    assert make_staff("view_documentrule").post(f"{RULES}add/", form).status_code == 403
