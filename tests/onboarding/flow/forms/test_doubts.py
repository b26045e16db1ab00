"""Answers that are probably wrong, or not enough by law."""

import pytest

from onboarding.flow.forms import doubts


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        *((box, True) for box in ("PO Box 12", "P.O. Box 12", "p o box #3", "Pobox 3", "POB 9")),
        *((box, True) for box in ("Post Office Box 4", "Box 12-A", "Apartado 55")),
        ("PO Box 12 Austin", True),
        ("PO Box 12, 5 Main St", False),
        ("12 Main St, PO Box 5", False),
        ("RR 2 Box 15", False),
        ("HC 4 Box 12", False),
        ("Box Elder Street 5", False),
        ("Po Boy Lane 3", False),
        ("", False),
    ],
)
def test_a_box_without_a_street_is_known(line, expected):
    assert doubts.is_po_box({"line1": line, "country": "US", "state": "TX"}) is expected


def test_a_box_of_the_armed_forces_or_abroad_is_an_address():
    box = {"line1": "PO Box 12"}

    assert not doubts.is_po_box(box | {"country": "US", "state": "AE"})
    assert not doubts.is_po_box(box | {"country": "AE"})
    assert doubts.is_po_box(box | {"country": "PR"})


def test_a_mailbox_beside_a_street_is_asked_about():
    assert doubts.may_be_mailbox({"line1": "12 Main St", "line2": "PMB 5", "country": "US"})
    assert not doubts.may_be_mailbox({"line1": "12 Main St", "line2": None, "country": "US"})


@pytest.mark.parametrize(
    ("state", "zip_code", "expected"),
    [
        ("NY", "90210", True),
        ("NY", "10001", False),
        ("NY", "06390", False),  # an island of New York, with the ZIP codes of Connecticut
        ("CT", "06390-1234", False),
        ("PR", "00901", False),
        ("NY", "99999", True),
        ("NY", "1", False),  # no ZIP code, which is another fault
        ("Ontario", "10001", False),
    ],
)
def test_a_zip_code_of_another_state_is_known(state, zip_code, expected):
    address = {"country": "US", "state": state, "postal_code": zip_code}

    assert doubts.is_elsewhere(address) is expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [("Zoë's Cakes & Co., 2®", True), ("100% Ramen (NYC)", True), ("拉麵", False), ("🧁", False)],
)
def test_the_name_of_a_business_is_in_latin_letters(name, expected):
    assert doubts.is_latin_business(name) is expected
