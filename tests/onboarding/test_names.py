"""Names as the contract spells them, and pointers to them."""

import pytest

from onboarding.names import camel, pointer, wire


@pytest.mark.parametrize(
    ("name", "spelled"),
    [("email", "email"), ("phone_number", "phoneNumber"), ("id_gov_number", "idGovNumber")],
)
def test_names_are_in_camel_case(name, spelled):
    assert camel(name) == wire(name) == spelled


@pytest.mark.parametrize(
    ("name", "spelled"),
    [
        ("owners", "uboList"),
        ("documents", "documentDataList"),
        ("edd_answers", "eddQuestionData"),
        ("document_urls", "documentUrls"),
    ],
)
def test_some_names_are_the_contracts_own(name, spelled):
    assert wire(name) == spelled


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ((), ""),
        (("email",), "/email"),
        (("uboList", 12345, "address", "line1"), "/uboList/12345/address/line1"),
        (("metadata", "a/b~c"), "/metadata/a~1b~0c"),
        (("metadata", ""), "/metadata/"),
        (("field2024",), "/field2024"),
    ],
)
def test_a_pointer_leads_to_the_value(path, expected):
    assert pointer(path) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("509-83-4217", "/***-**-****"),
        ("509834217", "/*********"),
        ("ssn=509834217", "/ssn=*********"),
        ("X12345678", "/X********"),
        ("5/0983~4217", "/*~1****~0****"),
    ],
)
def test_a_personal_number_in_the_place_of_a_name_is_not_repeated(name, expected):
    assert pointer((name,)) == expected
