"""Answers to check: stored values that the forms would refuse or ask about.

A partner may have sent the values: the rules of the API are fewer.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from onboarding.flow.form_pages import CHECK
from onboarding.flow.forms.base import FlowForm
from onboarding.flow.forms.business import BusinessForm
from onboarding.flow.forms.control import UNSAID, is_complete
from onboarding.flow.forms.people import ApplicantForm, OwnerForm
from onboarding.flow.journeys import Journey
from onboarding.flow.overviews import owner_url
from onboarding.lazy_texts import StrOrPromise
from onboarding.queries.leads import LeadFile
from onboarding.queries.steps import Step
from onboarding.services.leads.confirmed_answers import OTHERS


@dataclass(frozen=True)
class Missing:
    """A missing or doubtful answer, as a message with the page where it can be given.

    `whose` is the name of the owner whom the answer is about, if it is about an owner.
    """

    message: StrOrPromise
    url: str
    whose: str = ""


def list_answers_to_check(journey: Journey, file: LeadFile) -> list[Missing]:
    """Return the stored answers that are doubtful or invalid, with their pages.

    Blank answers are requirements, which are listed apart, but for one: whether there are further
    owners. Answers of owners who fill in their own part are left out.
    """
    found = [
        *_wrong(ApplicantForm.of_stored(file.lead), journey.url(Step.YOU)),
        *_wrong(BusinessForm.of_file(file), journey.url(Step.BUSINESS)),
    ]
    for owner in file.owners:
        if owner.has_own_part:  # whose form asks the owner
            continue
        whose = owner.full_name or owner.email
        found += _wrong(OwnerForm.of_stored(owner), owner_url(journey, owner), whose)
    if not is_complete(file):
        found.append(Missing(UNSAID, f"{journey.url(Step.OWNERS)}#id_{OTHERS}"))
    return found


def _wrong(form: FlowForm, url: str, whose: str = "") -> Iterator[Missing]:
    """Yield the first error of each field that is not blank; questions about values are errors."""
    for name in form.errors:
        if name not in form.fields or form.is_blank(name):
            continue
        field = form[name]
        yield Missing(f"{field.label}: {field.errors[0]}", f"{url}?{CHECK}#{field.auto_id}", whose)
