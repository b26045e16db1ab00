"""Lead fields: values of people and businesses, declared once for API, applicant and staff.

Addresses, metadata, answers to questions and an owner's role have their own shapes and are declared
where they are used.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import Enum, auto
from typing import Any

from django.apps import apps
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from banking.choices import BusinessType
from onboarding import validators
from onboarding.lazy_texts import StrOrPromise

MAX_LENGTH = 255  # of a text with a check, and of an encrypted text


class ValueType(Enum):
    """The type of a value: it decides how a value is parsed, displayed and validated."""

    TEXT = auto()
    ENCRYPTED_TEXT = auto()  # shown by its last four characters
    DATE = auto()
    PERCENT = auto()
    FLAG = auto()
    CHOICE = auto()


@dataclass(frozen=True)
class LeadField:
    """A column of a lead or an owner, with its use by the API, the applicant and staff.

    The API name is the name in camel case. Forms and signed records of the applicant list only
    values with a `label`, apart from `is_control_person`, which has a question of its own. The page
    of a case lists only values with a `staff_label`. A `check` returns the value to store or raises
    InvalidValue; without a check, any text that fits the column is accepted.
    """

    name: str
    kind: ValueType = ValueType.TEXT
    check: Callable[[str], Any] | None = None
    choices: list[tuple[str, str]] = field(default_factory=list)
    is_in_api: bool = True  # False for a value that the applicant alone is asked for
    api_help: str = ""
    label: StrOrPromise = ""
    hint: StrOrPromise = ""
    is_required: bool = True  # in the applicant's form; the API requires only the email
    attrs: Mapping[str, str] = field(default_factory=dict)  # of the applicant's HTML input
    staff_label: str = ""

    @property
    def max_length(self) -> int:
        """The most characters of an input.

        With a `check`, which may shorten the input, the length of the column is not the limit.
        """
        column = apps.get_model("onboarding", "Lead")._meta.get_field(self.name)
        length: int | None = column.max_length  # type: ignore[union-attr]  # no relation
        return MAX_LENGTH if self.check or length is None else length


def _adult(text: str) -> date:
    return validators.birth_date(text, today=timezone.localdate())


def _past_date(text: str) -> date:
    return validators.past_date(text, today=timezone.localdate())


DIGITS = {"inputmode": "numeric"}
PERSON = [
    LeadField(
        "phone_number",
        check=validators.phone_number,
        api_help="E.164, for example `+14155550100`.",
        label=_("Phone number"),
        staff_label="Phone",
    ),
    LeadField(
        "ssn",
        ValueType.ENCRYPTED_TEXT,
        check=validators.ssn,
        api_help="Shape `XXX-XX-XXXX`.",
        label=_("Social Security number or ITIN"),
        hint=_("Nine digits, like 123-45-6789."),
        attrs=DIGITS,
        staff_label="SSN",
    ),
    LeadField(
        "birth_date",
        ValueType.DATE,
        check=_adult,
        api_help="`YYYY-MM-DD`; 18 to 120 years ago.",
        label=_("Date of birth"),
        staff_label="Born",
    ),
    LeadField("first_name", label=_("First name")),
    LeadField("last_name", label=_("Last name")),
    LeadField(
        "passport_number",
        ValueType.ENCRYPTED_TEXT,
        label=_("Passport number"),
        staff_label="Passport number",
    ),
    LeadField(
        "id_gov_number",
        ValueType.ENCRYPTED_TEXT,
        api_help="National ID number of a non-US person.",
        label=_("National ID number"),
        staff_label="National ID number",
    ),
    LeadField(
        "id_country",
        check=validators.country,
        api_help="ISO 3166 alpha-2; with a passport number, its country of issuance.",
        label=_("Country that issued it"),
        is_required=False,
        staff_label="ID country",
    ),
    LeadField(
        "id_expiration_date",
        ValueType.DATE,
        check=validators.iso_date,
        api_help="With a passport number, its expiration date.",
        label=_("Expiration date"),
        is_required=False,
        staff_label="ID expires",
    ),
    LeadField(
        "ownership_percent",
        ValueType.PERCENT,
        label=_("Share of the business, in percent"),
        hint=_("If none, enter 0."),
    ),
    LeadField(
        "is_control_person", ValueType.FLAG, api_help="Whether this person controls the business."
    ),
    LeadField(
        "title",
        api_help="For example `CEO`.",
        label=_("Title at the business"),
        hint=_("For example: president, partner."),
        is_required=False,
        staff_label="Title",
    ),
]
BUSINESS = [
    LeadField(
        "business_name",
        label=_("Legal name of the business"),
        hint=_("As it appears in your formation documents or on your tax return."),
        attrs={"autocomplete": "organization"},
        staff_label="Name",
    ),
    LeadField(
        "business_type",
        ValueType.CHOICE,
        choices=BusinessType.choices,
        label=_("Type of business"),
        staff_label="Type",
    ),
    LeadField(
        "ein",
        ValueType.ENCRYPTED_TEXT,
        check=validators.ein,
        api_help="Nine digits, with or without the dash.",
        label=_("Employer identification number (EIN)"),
        hint=_("Nine digits, like 12-3456789. It is on the letter from the IRS."),
        attrs=DIGITS,
        staff_label="EIN",
    ),
    LeadField(
        "incorporation_state",
        check=validators.state,
        api_help="USPS two-letter code.",
        label=_("State where the business was formed"),
        is_required=False,
        staff_label="Incorporated in",
    ),
    LeadField(
        "incorporation_date",
        ValueType.DATE,
        check=_past_date,
        is_in_api=False,
        label=_("Date when the business was formed"),
        hint=_("It is on the document by which you registered the business."),
        is_required=False,
        staff_label="Incorporated on",
    ),
    LeadField(
        "naics_code",
        check=validators.naics_code,
        api_help="Two to six digits.",
        label=_("Industry (NAICS code)"),
        hint=_("Two to six digits, like 541511. You can find it on your last tax return."),
        attrs=DIGITS,
        staff_label="NAICS code",
    ),
    LeadField(
        "duns",
        check=validators.duns,
        api_help="Nine digits, also as `12-345-6789`.",
        label=_("D-U-N-S number"),
        hint=_("Nine digits, if the business has one."),
        is_required=False,
        attrs=DIGITS,
        staff_label="DUNS",
    ),
]
OF_PARTNER = [  # not shown to the applicant and not signed
    LeadField("unique_id", api_help="Your own identifier; returned as `partnerSuppliedId`."),
    LeadField("campaign", api_help="Your campaign code."),
]
OF_API = [one for one in (*PERSON, *BUSINESS, *OF_PARTNER) if one.is_in_api]  # of a lead
ENCRYPTED = {  # personal numbers
    one.name for one in (*PERSON, *BUSINESS) if one.kind is ValueType.ENCRYPTED_TEXT
}
LABELS = {declared.name: declared.label for declared in (*PERSON, *BUSINESS)}
