"""Case decision: steps that the user may take now, and the proposal for a second person."""

from dataclasses import dataclass, field
from typing import Any

from django.urls import reverse
from django.utils import timezone

from foundation.backoffice.lists import may_view
from onboarding.admin.case_documents import unopened_of
from onboarding.admin.case_escalation import escalations_of
from onboarding.admin.case_forms import NoteForm
from onboarding.admin.case_messages import MessageForm
from onboarding.admin.case_steps import STEPS
from onboarding.admin.case_ticks import TicksForm
from onboarding.admin.staff_names import name_of
from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import DenialReason, ProposalKind, ProposalStatus
from onboarding.models import Proposal
from onboarding.queries import evidence
from onboarding.queries.decision_evidence import list_lacking
from onboarding.queries.decision_policy import get_needs
from onboarding.queries.decision_words import say_demands
from onboarding.queries.mentions import list_mentionable, mention_of
from onboarding.queries.staff import REVIEW
from onboarding.services.reviews import steps

GOOD, BAD = {"approve", "approve_temporarily", "confirm"}, {"deny", "refuse"}
SETTLING = {"confirm", "refuse", "withdraw"}
NEVER_ON_PANEL = {"claim", "release"}  # shown in the headline
DIGITS = 12  # shown of an evidence digest, enough to compare two digests by eye


@dataclass(frozen=True)
class Choice:
    """A step on the decision panel: its button and its form.

    `unopened` are documents that the user has to open before an approval. Of what the policy
    `needs`, `accepting` are the documents that the decision accepts, and `lacking` are sentences
    about all else.
    """

    name: str
    label: str
    url: str
    form: Any
    tone: str = ""
    needs_second: list[str] = field(default_factory=list)
    is_open: bool = False
    unopened: list[dict[str, Any]] = field(default_factory=list)
    needs: Any = None
    accepting: list[dict[str, Any]] = field(default_factory=list)
    lacking: list[str] = field(default_factory=list)

    @property
    def demands(self):
        """Return the demands of the policy's rule in words; empty for a step without a rule."""
        return say_demands(self.needs.rule) if self.needs else ""

    @property
    def asks(self):
        """Return whether the form has visible fields."""
        return bool(self.form.visible_fields())


def decision_of(request, application, bound, data):
    """Return the template context of the decision: the steps offered now, and the proposal.

    `bound` is the `BoundStep` of a refused form, or None; `data` is the context of the case page.
    """
    offered = steps.list_moves(application, user=request.user, at=timezone.now())
    offered += _lost(bound, offered)
    offered = [move for move in offered if move.name in STEPS]
    unopened = []
    if any(move.name == "approve" for move in offered):
        unopened = unopened_of(data.get("documents", []), by=request.user)
    choices = [_choice(application, move, bound, unopened, data) for move in offered]
    _show_newest_note(choices, data["notes"], request.user)
    newest = _newest_proposal(application) if may_view(request, Proposal) else None
    proposal = _open_proposal(application, newest)
    is_void = proposal is not None and proposal["is_void"]
    settling = [
        one for one in choices if one.name in SETTLING - ({"confirm"} if is_void else set())
    ]
    for choice in settling:
        choice.form.initial["proposal"] = proposal and proposal["proposal"].pk
    return {
        "moves": {choice.name: choice for choice in choices},
        "choices": [one for one in choices if one.name not in NEVER_ON_PANEL | SETTLING],
        "settling": settling,
        "proposal": proposal,
        "voided": _voided(newest),
        "escalations": escalations_of(application),
        "lacks_approval": _lacks_approval(application, choices),
        "note_form": _form("note", NoteForm, application, bound),
        "colleagues": _colleagues(request.user),
        "message_form": _message_form(request, application, bound),
        **_ticks(request, application, bound, choices, data),
    }


def _colleagues(user):
    """Return name and mention, such as "@Dana.Reyes", of each other reviewer.

    The list is empty for a user who is no reviewer.
    """
    if not user.has_perm(REVIEW):
        return []
    return [(name_of(one), f"@{mention_of(one)}") for one in list_mentionable(user)]


def _message_form(request, application, bound):
    """Return the form of a message; None if the user may not send any."""
    if not request.user.has_perm("onboarding.message_applicant"):
        return None
    return _form("message", MessageForm, application, bound)


def _lacks_approval(application, choices):
    """Return whether a case in review offers the user to rerun its checks, but no approval."""
    names = {choice.name for choice in choices}
    is_offered = bool(names & {"approve", "approve_temporarily"})
    return application.status == Status.IN_REVIEW and "rerun_checks" in names and not is_offered


def _ticks(request, application, bound, choices, data):
    """Return `tick_form`, the form of the manual checks, and `ticks`: each check with its fields.

    The context is empty for a user who may not fill the form in.
    """
    has_case = any(choice.name == "release" for choice in choices)
    may_tick = request.user.has_perm(REVIEW) and application.is_current
    is_refused = bound is not None and bound.step == "tick"
    items = data["checks"]["items"] if data.get("checks") else []
    if not items or not ((may_tick and has_case) or is_refused):
        return {}
    form = _form("tick", TicksForm, application, bound)
    return {"tick_form": form, "ticks": [(row, form.of(row.check.code)) for row in items]}


def _form(name, form, application, bound):
    """Return the refused form if it is of the step `name`, else a new form of the step."""
    if bound is not None and bound.step == name:
        return bound.form
    return form(application=application, name=name)


def _choice(application, move, bound, unopened, data):
    tone = "good" if move.name in GOOD else "danger" if move.name in BAD else ""
    form = _form(move.name, STEPS[move.name].form, application, bound)
    accepting, lacking = _evidence_of(move, data)
    if "accepting" in form.fields:
        form.show("accepting", [row["key"] for row in accepting])
    return Choice(
        name=move.name,
        label=str(move.label),
        url=reverse(f"admin:onboarding_application_{move.name}", args=[application.pk]),
        form=form,
        needs=move.needs,
        accepting=accepting,
        lacking=lacking,
        tone=tone,
        needs_second=list(move.needs_second),
        is_open=bound is not None and bound.step == move.name,
        unopened=unopened if move.name == "approve" else [],
    )


def _show_newest_note(choices, notes, user):
    """Put the id of the newest note by a colleague, 0 without any, into the form of each decision.

    `notes` are the newest first. None, for a user who may not view notes, changes nothing.
    """
    if notes is None:
        return
    newest = next((note.pk for note in notes if note.by_id != user.pk), 0)
    for choice in choices:
        if "shown_note" in choice.form.fields:
            choice.form.show("shown_note", newest)


def _evidence_of(move, data):
    """Return the documents that the decision can accept, and sentences on other lacking evidence.

    Both are empty for a step that is no decision, and for a user who may not view the answers.
    """
    if move.needs is None or "file" not in data:
        return [], []
    found = list_lacking(move.needs, data["file"])
    accepted = {one.pk for one in found.unaccepted}
    rows = [row for row in data["documents"] if row["document"].pk in accepted]
    if rows:
        found = list_lacking(move.needs, data["file"], accepting=found.unaccepted)
    return rows, found.sentences


def _lost(bound, offered):
    """Return the refused decision of `bound` if it is no longer offered and its form has fields.

    It is shown again so that typed text is not lost. Shape: a list of at most one move.
    """
    if bound is None or bound.step in {move.name for move in offered}:
        return []
    if bound.step not in STEPS or STEPS[bound.step].part != "decision":
        return []
    label = bound.step.replace("_", " ").capitalize()
    return [steps.Move(bound.step, label)] if bound.form.visible_fields() else []


def _newest_proposal(application):
    """Return the newest proposal of the application, open or not; None without any."""
    return application.proposals.select_related("proposed_by").first()


def _voided(newest):
    """Return a proposal that was voided and the name of its author; None for any other."""
    if newest is None or newest.status != ProposalStatus.VOIDED:
        return None
    return {"proposal": newest, "by": name_of(newest.proposed_by)}


def _open_proposal(application, proposal):
    if proposal is None or proposal.status != ProposalStatus.OPEN:
        return None
    needs = get_needs(application, ProposalKind(proposal.kind))
    is_outdated = not needs.are_those_of(proposal.rule)
    return {
        "proposal": proposal,
        "by": name_of(proposal.proposed_by),
        "reasons": [DenialReason(code).label for code in proposal.reason_codes],
        "digest": proposal.evidence_digest[:DIGITS],
        "policy_changed": is_outdated,
        "is_void": is_outdated
        or proposal.evidence_digest not in evidence.compute_digests(application),
        "needs": needs,
        "demands": say_demands(needs.rule),
    }
