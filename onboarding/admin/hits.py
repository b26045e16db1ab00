"""Screening hits of a case: facts of the party and the entry, and the steps to judge them."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django import forms
from django.core.exceptions import ValidationError
from django.urls import reverse

from foundation.backoffice.lists import may_view
from foundation.backoffice.screens import badge
from onboarding.admin.case_forms import LONGEST, StepForm, text_field
from onboarding.admin.case_steps import CONFIRM, REVIEW, CaseSteps, Step
from onboarding.admin.staff_names import name_of
from onboarding.choices import HitStatus, HitSubject
from onboarding.models import Check
from onboarding.queries import hit_facts, screening_hits
from onboarding.services.reviews import hit_judgements

REASONS = {
    "SAME": "{ours} is the same",
    "VARIANT": "{ours} is a form of {listed}",
    "SYNONYM": "{ours} means the same as {listed}",
    "SOUND": "{ours} sounds like {listed}",
    "TYPO": "{ours} is nearly {listed}",
    "INITIAL": "one of {ours} and {listed} is an initial of the other",
    "JOINED": "{ours} and {listed} differ only in the spaces",
    "EXTRA": "",
    "BORN_SAME": "same birth date",
    "YEAR_SAME": "same birth year",
    "BORN_DIFFERS": "another birth year: {listed}",
    "COUNTRY_SAME": "a country in common",
    "NUMBER_SAME": "same number: {listed}",
}
VERDICTS = [HitStatus.FALSE_POSITIVE, HitStatus.CONFIRMED, HitStatus.INCONCLUSIVE]
PROPOSED = "Proposed. A second person must confirm that the hits are false positives."
JUDGED = "The hits are judged: {}."


class SentIds(forms.MultipleChoiceField):
    """Checkboxes of hits or proposals, each with the external id and, of a hit, its digest.

    The cleaned value is a dict of the digests by UUID; the digest of a proposal is empty.
    """

    widget = forms.CheckboxSelectMultiple
    default_error_messages = {"required": "Choose at least one."}

    def valid_value(self, value):
        """Accept any value; the service refuses ids of other leads."""
        return True

    def clean(self, value):
        sent = [one.partition(":") for one in super().clean(value)]
        try:
            return {UUID(external_id): digest for external_id, _, digest in sent}
        except ValueError:
            raise ValidationError("There is no such hit.") from None


class JudgeForm(StepForm):
    """Form for a verdict about one or several hits."""

    hits = SentIds()
    verdict = forms.TypedChoiceField(
        choices=[(one.value, one.label) for one in VERDICTS], coerce=HitStatus
    )
    reason = text_field("What you found", max_length=LONGEST, rows=2)


class ClearingsForm(StepForm):
    """Form to confirm or withdraw proposed clearings."""

    clearings = SentIds()

    def clean_clearings(self):
        return list(self.cleaned_data["clearings"])


class RefuseClearingsForm(ClearingsForm):
    """Form for a refusal of proposed clearings."""

    reason = forms.CharField(max_length=LONGEST)


def _judge(application, said, **by):
    verdict = said["verdict"]
    hit_judgements.judge(application, verdict, hits=said["hits"], reason=said["reason"], **by)
    return PROPOSED if verdict is HitStatus.FALSE_POSITIVE else JUDGED.format(verdict.label.lower())


def _on_clearings(service):
    def take(application, said, **by):
        service(application, **said, **by)

    return take


HIT_STEPS = {
    "judge_hits": Step(REVIEW, JudgeForm, _judge, part="hits"),
    "confirm_clearings": Step(
        CONFIRM,
        ClearingsForm,
        _on_clearings(hit_judgements.confirm),
        "Confirmed: the hits are false positives.",
        "hits",
    ),
    "refuse_clearings": Step(
        CONFIRM,
        RefuseClearingsForm,
        _on_clearings(hit_judgements.refuse),
        "The proposal is rejected. The hits are still open.",
        "hits",
    ),
    "withdraw_clearings": Step(
        REVIEW,
        ClearingsForm,
        _on_clearings(hit_judgements.withdraw),
        "The proposal is withdrawn. The hits are still open.",
        "hits",
    ),
}


class HitSteps(CaseSteps):
    """Admin mixin that serves the steps about screening hits."""

    def get_urls(self):
        steps = [self._page_of(name, step, self.take_step) for name, step in HIT_STEPS.items()]
        return [*steps, *super().get_urls()]

    def hits_of(self, request, application, file, bound):
        """Return the template context of the card of hits.

        Empty if the user may not view checks or the answers (`file` is None).
        """
        if file is None or not may_view(request, Check):
            return {}
        hits = screening_hits.list_hits(application.lead)
        clearings = screening_hits.find_open_clearings(hits)
        rows = [_row(hit, file, clearings.get(hit.pk), request.user) for hit in hits]
        may = {name: self.may_take(request, step) for name, step in HIT_STEPS.items()}
        urls = {
            name: reverse(f"admin:onboarding_application_{name}", args=[application.pk])
            for name in HIT_STEPS
        }
        is_bound = bound is not None and bound.step in HIT_STEPS
        form = bound.form if is_bound else None
        may = may if application.is_current else {}
        return {"screening": card_of(rows, may=may, urls=urls, form=form)}


def card_of(rows, *, may, urls, form=None):
    """Return the template context of the card of hits; `form` is a refused form with its errors."""
    return {
        "rows": rows,
        "open": sum(row.hit.is_open for row in rows),
        "confirmed": sum(_is_match(row.hit) for row in rows),
        "exposed": sum(_is_exposed(row.hit) for row in rows),
        "to_judge": [row for row in rows if not row.clearing],
        "own": [row for row in rows if row.is_own],
        "others": [row for row in rows if row.clearing and not row.is_own],
        "verdicts": VERDICTS,
        "may": may,
        "urls": urls,
        "faults": form.errors if form else {},
        "typed": form.data.get("reason", "") if form else "",
    }


@dataclass(frozen=True)
class Row:
    """A hit with its display values."""

    hit: Any
    whose: str
    facts: list[hit_facts.ComparedFact]
    status: str
    key: str
    reasons: str = ""
    judged: str = ""
    clearing: Any = None
    proposer: str = ""
    is_own: bool = False


def _row(hit, file, clearing, user):
    party = file.find_party(hit.party_id)
    if party is None:
        name = "A trust or company that was removed"
        if hit.subject == HitSubject.PERSON:
            name = "An owner who was removed"
        return row_of(hit, name, None, clearing, user)
    side = hit_facts.side_of(party, hit.subject)
    return row_of(hit, side.name or party.email, side, clearing, user)


def row_of(hit, name, side, clearing, user):
    """Return a hit with its display values; `side` has the facts of its party, None if gone."""
    return Row(
        hit=hit,
        whose=name,
        facts=hit_facts.compare(hit, side) if side else [],
        status=badge(f"hit_{hit.status}", hit.get_status_display()),
        key=f"{hit.external_id}:{screening_hits.digest_evidence(hit)}",
        reasons="; ".join(map(_describe_reason, hit.reasons)),
        judged=_judged(hit.judgement),
        clearing=clearing,
        proposer=name_of(clearing.by) if clearing else "",
        is_own=clearing is not None and clearing.by_id == user.pk,
    )


def _describe_reason(reason):
    """Return in words why the party and the listed entry were found to be similar or different."""
    template = REASONS.get(reason["reason"])
    if template is None:
        return reason["reason"]
    if reason["reason"] == "EXTRA":
        return f"only on one side: {reason['ours'] or reason['listed']}"
    return template.format(**reason)


def _is_match(hit):
    """Return whether a hit is a confirmed match with an entry under sanctions."""
    return hit.status == HitStatus.CONFIRMED and not hit.is_pep


def _is_exposed(hit):
    """Return whether a hit is a confirmed politically exposed person."""
    return hit.status == HitStatus.CONFIRMED and hit.is_pep


def _judged(judgement):
    """Return the name of the person who judged a hit; of a false positive, of both people."""
    if judgement is None:
        return ""
    people = [name_of(judgement.by)]
    if judgement.settled_by:
        people.append(f"confirmed by {name_of(judgement.settled_by)}")
    return ", ".join(people)
