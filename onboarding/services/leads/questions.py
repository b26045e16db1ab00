"""Questions of enhanced due diligence (EDD), answered by the applicant after the submission."""

from collections.abc import Mapping
from datetime import datetime

from django.db import transaction

from onboarding.choices import Supplier
from onboarding.models import Application
from onboarding.names import wire
from onboarding.services.applications.attempts import lock_open
from onboarding.services.events.history import APPLICANT, record_change
from onboarding.services.leads.merging import columns_of, merge_into

NAME = "edd_answers"


@transaction.atomic
def answer_questions(application: Application, answers: Mapping[str, str], *, at: datetime) -> None:
    """Save the applicant's answers; ignore questions that were not asked or are answered already.

    `answers` maps the text of a question to the answer. Locks the lead.
    Raises: ApplicationClosed, CustomerAlreadyOnboarded.
    """
    locked = lock_open(application)
    lead = locked.lead
    given = [
        {**one, "answer": answer}
        for one in lead.edd_answers
        if not one.get("answer") and (answer := answers.get(one.get("question", ""), ""))
    ]
    changed = merge_into(lead, {NAME: given}, by=Supplier.APPLICANT)
    if changed:
        columns = columns_of(changed)
        record_change(locked, [wire(NAME)], by=APPLICANT, at=at, columns=columns)
