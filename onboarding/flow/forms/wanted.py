"""Messages for blank fields, which name the field: the summary of a page repeats them."""

from collections.abc import Mapping

from django.utils.translation import gettext_lazy as _

from onboarding.lazy_texts import StrOrPromise

ADDRESS: Mapping[str, StrOrPromise] = {
    "country": _("Enter the name of the country."),
    "line1": _("Enter the street address."),
    "city": _("Enter the city."),
    "state": _("Enter the state."),
    "postal_code": _("Enter the ZIP code."),
}
DOCUMENT: Mapping[str, StrOrPromise] = {
    "id_country": _("Enter the country that issued the document."),
    "id_expiration_date": _("Enter the date on which the passport expires."),
}
APPLICANT: Mapping[str, StrOrPromise] = {
    **DOCUMENT,
    "first_name": _("Enter your first name."),
    "last_name": _("Enter your last name."),
    "phone_number": _("Enter your phone number."),
    "birth_date": _("Enter your date of birth."),
    "ownership_percent": _("Enter your share of the business."),
}
OWNER: Mapping[str, StrOrPromise] = {
    **DOCUMENT,
    "first_name": _("Enter the first name of this owner."),
    "last_name": _("Enter the last name of this owner."),
    "email": _("Enter the email address of this owner."),
    "phone_number": _("Enter the phone number of this owner."),
    "birth_date": _("Enter the date of birth of this owner."),
    "ownership_percent": _("Enter the share that this owner has in the business."),
}
BUSINESS: Mapping[str, StrOrPromise] = {
    "business_name": _("Enter the legal name of the business."),
    "business_type": _("Choose the type of business."),
    "ein": _("Enter the EIN of the business."),
    "incorporation_state": _("Enter the state where the business was formed."),
    "naics_code": _("Choose the industry of the business."),
    "mailing": _("Choose where you receive mail."),
    "ownership_percent": APPLICANT["ownership_percent"],
}


def find(wanted: Mapping[str, StrOrPromise], name: str) -> StrOrPromise | None:
    """Return the message for a field: its own, or that of the part of an address; None if none."""
    ends = (message for part, message in ADDRESS.items() if name.endswith(part))
    return wanted.get(name) or next(ends, None)
