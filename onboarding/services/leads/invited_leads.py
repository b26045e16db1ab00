"""Leads of the bank itself: businesses that an accountant invited."""

from datetime import datetime

from banking.models import Referral
from foundation.database.retries import retry_on_conflict
from onboarding.choices import REPEATABLE
from onboarding.models import Lead
from onboarding.queries.leads import lock_holders
from onboarding.services.access import link_requests
from onboarding.services.documents.file_store import FileStore, file_transaction
from onboarding.services.leads.registration import create_lead
from onboarding.services.partners.bank_partner import get_bank_partner


@retry_on_conflict
def begin(
    referral: Referral, *, email: str, first_name: str, last_name: str, language: str, at: datetime
) -> None:
    """Mail a business that an accountant invited the link to its application at the bank itself.

    Begins an application if the email has none, or its newest expired or was withdrawn; only an
    application that begins here gets the referral. Anybody with the invitation link may call it.
    So nothing is returned, and no value of a lead that exists is changed. An application that was
    denied stays so, and nothing is mailed.
    """
    with file_transaction() as store:
        names = {"first_name": first_name, "last_name": last_name}
        lead = _find_or_begin(referral, email, names, store, at)
        link_requests.mail_link(lead.pk, language=language, at=at)


def _find_or_begin(
    referral: Referral, email: str, names: dict[str, str], store: FileStore, at: datetime
) -> Lead:
    bank = get_bank_partner()
    current = next(iter(lock_holders(partner=bank, email=email, unique_id="")), None)
    if current and current.status not in REPEATABLE:
        return current.lead
    details = {"email": email}
    if current is None:
        details |= names | {"business_name": referral.business_name}
    registration = create_lead(partner=bank, details=details, store=store, at=at)
    application = registration.application
    application.referral = referral
    application.save(update_fields=["referral"])
    return application.lead
