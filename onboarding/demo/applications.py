"""Generated applications: leads with owners, documents, checks, reviews and events."""

import hashlib
import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from random import Random

from django.core.files.base import ContentFile
from django.db import transaction
from django.db.models import OuterRef, Subquery

from banking.choices import BusinessType, UserType
from banking.models import User
from onboarding import sample_documents
from onboarding.business_hours import HOURS_OF_A_DAY, add_business_hours
from onboarding.choices import (
    DECIDED,
    CheckCode,
    CheckResult,
    CheckSource,
    DenialReason,
    LlcFileType,
    ProposalKind,
    ProposalStatus,
    Risk,
    Role,
    RunCause,
)
from onboarding.choices import ApplicationStatus as Status
from onboarding.demo import cast
from onboarding.demo.stories import NEVER_SUBMITTED, SHARES, SHARES_OF_MANY, Step, make_story
from onboarding.event_types import EventType
from onboarding.models import (
    Application,
    Check,
    CheckRun,
    Document,
    Event,
    Lead,
    Owner,
    Partner,
    Proposal,
)
from onboarding.models.documents import document_storage
from onboarding.queries import evidence
from onboarding.queries.decision_policy import get_needs
from onboarding.queries.reminders import first_look
from onboarding.services.access import links
from onboarding.services.events.history import Actor, append_to_chain
from onboarding.services.partners import api_keys

AT_ONCE = 1000  # leads per transaction
FEW = 1000  # above this number only applications in review have documents and checks
BUILT_IN = [CheckCode(code) for code in CheckCode.values[:10]]
KINDS = [LlcFileType.ARTICLES_OF_ORGANIZATION, LlcFileType.IRS_EIN_LETTER]
WANTED = {
    "llc_file_type": LlcFileType.UTILITY_BILL.value,
    "reason": "The address of the business is new. Please send a bill of this year.",
}
RESULTS = {Risk.LOW: "PASS", Risk.MEDIUM: "WARN", Risk.HIGH: "FAIL"}
FIRST_TOUCH_HOURS = 2
WEEKS_OF_FEW, YEARS_OF_MANY = timedelta(weeks=8), timedelta(days=3 * 365)
NOT_VERIFIED = DenialReason.NOT_VERIFIED.value
SPREAD = timedelta(hours=3)  # the time span of open proposals
TOUCHED, HELD, PROPOSED = 0.55, 0.6, 0.45  # of cases in review, touched, held


@dataclass
class Batch:
    """Unsaved rows of one transaction."""

    leads: list[Lead] = field(default_factory=list)
    owners: list[Owner] = field(default_factory=list)
    applications: list[Application] = field(default_factory=list)
    documents: list[Document] = field(default_factory=list)
    runs: list[CheckRun] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    proposals: list[Proposal] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)

    @transaction.atomic
    def save(self) -> None:
        """Insert all rows, and set `created_at` of each lead to that of its application."""
        Lead.objects.bulk_create(self.leads)
        for rows in (self.owners, self.applications, self.documents):
            _point_again(rows, "lead")
        Owner.objects.bulk_create(self.owners)
        Application.objects.bulk_create(self.applications)
        Document.objects.bulk_create(self.documents)
        _point_again(self.runs, "application")
        _point_again(self.proposals, "application")
        CheckRun.objects.bulk_create(self.runs)
        Proposal.objects.bulk_create(self.proposals)
        _point_again(self.checks, "run")
        Check.objects.bulk_create(self.checks)
        _point_again(self.events, "lead", "application")
        Event.objects.bulk_create(self.events)
        began = Application.objects.filter(lead=OuterRef("pk")).values("created_at")[:1]
        made = Lead.objects.filter(pk__in=[lead.pk for lead in self.leads])
        made.update(created_at=Subquery(began))


class Maker:
    """Generates applications as of `at`: with the same arguments, the same names and histories.

    Emails, SSNs and EINs have numbers above the keys of stored leads and owners. Before the
    first application, missing partners, members of staff and sample files are created.
    """

    def __init__(self, *, count: int, seed: int, at: datetime) -> None:
        self._count = count
        self._at = at
        self._dice = Random(seed)  # noqa: S311 - generated rows, the same in each run
        self._numbers = itertools.count(_last_key(Lead) + _last_key(Owner) + 1)
        self._partners = [
            Partner.objects.filter(name=name).first() or api_keys.create_partner(name=name)
            for name in cast.PARTNERS
        ]
        self._staff = [_employ(first, last) for first, last in cast.STAFF]
        self._files = {kind: _store_sample(kind) for kind in KINDS}

    def make(self) -> Iterator[int]:
        """Insert the applications in batches; after each batch, yield the total number so far."""
        done = 0
        while done < self._count:
            batch = Batch()
            for _ in range(min(AT_ONCE, self._count - done)):
                self._add(batch)
            batch.save()
            if self._count <= FEW:
                _compute_digests(batch.proposals)
            done += len(batch.leads)
            yield done

    def _add(self, batch: Batch) -> None:
        shares = SHARES if self._count <= FEW else SHARES_OF_MANY
        [status] = self._dice.choices(list(shares), list(shares.values()))
        lead = self._lead(next(self._numbers), is_blank=status == Status.CREATED)
        by = self._dice.choice(self._staff)
        actor = Actor(Role.REVIEWER, str(by.external_id))
        oldest = WEEKS_OF_FEW if self._count <= FEW else YEARS_OF_MANY
        story = make_story(status, by=actor, dice=self._dice, at=self._at, oldest=oldest)
        application = Application(lead=lead, created_at=story[0].at)
        links.grant(application, at=story[0].at)
        batch.leads.append(lead)
        batch.applications.append(application)
        batch.owners += [
            self._owner(lead) for _ in range(cast.OWNERS.get(BusinessType(lead.business_type), 0))
        ]
        if status not in NEVER_SUBMITTED:
            self._rate(application)
        if status not in NEVER_SUBMITTED and self._is_detailed(status):
            batch.documents += [self._document(lead, kind, story[-1].at) for kind in KINDS]
        if status == Status.DOCUMENTS_REQUIRED:
            application.document_requests = [WANTED | {"requested_at": story[-1].at.isoformat()}]
        if status == Status.IN_REVIEW:
            self._review(application, story, by, batch)
        if status == Status.DENIED:
            self._confirm(application, story, by, batch)
        batch.events += _write(application, story)
        _set_clock(application, story)
        if any(step.type == EventType.CHECKED for step in story):
            self._check(application, batch)

    def _lead(self, number: int, *, is_blank: bool) -> Lead:
        dice = self._dice
        [kind] = dice.choices(list(cast.TYPES), list(cast.TYPES.values()))
        trade, naics = dice.choice(list(cast.TRADES.items()))
        place = dice.choice(cast.PLACES)
        first, last = dice.choice(cast.FIRST_NAMES), dice.choice(cast.LAST_NAMES)
        name = f"{place} {trade} {cast.ENDINGS[kind]}".strip()
        if kind == BusinessType.SSN:
            name = f"{first} {last} {trade}"
        address = self._address()
        lead = Lead(
            partner=dice.choice(self._partners),
            email=f"{first}.{last}.{number}@example.com".lower(),
            first_name=first,
            last_name=last,
            business_name=name,
            business_type=kind,
            unique_id=f"crm-{number}",
        )
        if is_blank:
            return lead
        lead.phone_number = f"+1{self._area(address)}55501{number % 100:02d}"
        lead.ssn = _ssn(number)
        lead.birth_date = _birth_date(dice)
        lead.ein = "" if kind == BusinessType.SSN else f"00-{number % 10_000_000:07d}"
        lead.naics_code = naics
        lead.incorporation_state = address["state"]
        lead.country = "US"
        for part in ("line1", "city", "state", "postal_code"):
            setattr(lead, part, address[part])
        lead.business_address = self._address()
        lead.ownership_percent = 100 if kind not in cast.OWNERS else 50
        lead.is_control_person, lead.title = True, "Managing member"
        return lead

    def _address(self) -> dict[str, str]:
        city, state, postal_code, _ = self._dice.choice(cast.TOWNS)
        line1 = f"{self._dice.randrange(1, 400)} {self._dice.choice(cast.STREETS)}"
        address = {"line1": line1, "city": city, "state": state, "postal_code": postal_code}
        return {**address, "country": "US"}

    def _area(self, address: dict[str, str]) -> str:
        return next(area for city, _, _, area in cast.TOWNS if city == address["city"])

    def _owner(self, lead: Lead) -> Owner:
        number = next(self._numbers)
        first = self._dice.choice(cast.FIRST_NAMES)
        last = self._dice.choice(cast.LAST_NAMES)
        return Owner(
            lead=lead,
            email=f"{first}.{last}.{number}@example.com".lower(),
            first_name=first,
            last_name=last,
            ssn=_ssn(number),
            birth_date=_birth_date(self._dice),
            ownership_percent=25,
            address=self._address(),
        )

    def _document(self, lead: Lead, kind: LlcFileType, at: datetime) -> Document:
        is_own = self._count <= FEW  # shared files make cases related
        stored = _store_sample(kind, str(lead.business_name)) if is_own else self._files[kind]
        name, size, sha256 = stored
        return Document(
            lead=lead,
            llc_file_type=kind,
            file_name=f"{kind.lower().replace('_', '-')}.pdf",
            content_type="application/pdf",
            detected_type="application/pdf",
            size_bytes=size,
            sha256=sha256,
            file=name,
            uploaded_at=at,
        )

    def _rate(self, application: Application) -> None:
        [risk] = self._dice.choices(list(Risk), [62, 28, 10])
        names = ["factor", "value", "points", "reason"]
        reasons = [dict(zip(names, reason, strict=True)) for reason in cast.RISKS[risk]]
        application.risk, application.risk_reasons = risk, reasons
        application.risk_points = sum(int(str(reason["points"])) for reason in reasons)
        application.worst_result = RESULTS[risk]

    def _check(self, application: Application, batch: Batch) -> None:
        is_current = application.status == Status.IN_REVIEW  # no new data since
        at = application.status_changed_at if is_current else application.submitted_at or self._at
        run = CheckRun(application=application, number=1, cause=RunCause.SUBMITTED, at=at)
        batch.runs.append(run)
        if not self._is_detailed(Status(application.status)):
            return
        odd = self._dice.choice(BUILT_IN)
        for code in BUILT_IN:
            result = application.worst_result if code == odd else CheckResult.PASS
            source = CheckSource.BUILT_IN
            batch.checks.append(Check(run=run, code=code, source=source, result=result, at=at))

    def _is_detailed(self, status: Status) -> bool:
        return self._count <= FEW or status == Status.IN_REVIEW

    def _review(self, application: Application, story: list[Step], by: User, batch: Batch) -> None:
        """Claim an application in review, and propose a decision, each step with a probability.

        TOUCHED is the probability of a claim, HELD that the claim still lasts, and PROPOSED that
        there is a proposal then.
        """
        dice, began = self._dice, story[-1].at
        if dice.random() > TOUCHED:
            return
        actor = Actor(Role.REVIEWER, str(by.external_id))
        at = began + (self._at - began) * dice.random()
        story.append(Step(EventType.CLAIMED, Status.IN_REVIEW, actor, at))
        if dice.random() > HELD:
            return
        application.claimed_by = application.assignee = by
        application.claimed_until = self._at + timedelta(minutes=dice.uniform(2, 30))
        if dice.random() > PROPOSED:
            return
        kind = dice.choice([ProposalKind.DENY, ProposalKind.APPROVE])
        if kind == ProposalKind.APPROVE:
            story += [_opened(one, actor, at) for one in batch.documents[-len(KINDS) :]]
        proposal = _propose(application, kind, by=by, at=max(at, self._at - SPREAD * dice.random()))
        story.append(_proposed(proposal, actor))
        batch.proposals.append(proposal)

    def _confirm(self, application: Application, story: list[Step], by: User, batch: Batch) -> None:
        """Replace the final denial by a proposal of one user and a confirmation by another user."""
        denied = story.pop()
        proposal = _propose(application, ProposalKind.DENY, by=by, at=story[-1].at)
        proposal.status, proposal.reason_codes = ProposalStatus.CONFIRMED, [NOT_VERIFIED]
        proposal.settled_at = denied.at
        proposal.settled_by = self._dice.choice([one for one in self._staff if one != by])
        second = Actor(Role.REVIEWER, str(proposal.settled_by.external_id))
        named = {"proposal_id": str(proposal.external_id)}
        details = {**denied.details, **named, "evidence_digest": proposal.evidence_digest}
        story += [_proposed(proposal, denied.by), replace(denied, by=second, details=details)]
        batch.proposals.append(proposal)


def _propose(application: Application, kind: ProposalKind, *, by: User, at: datetime) -> Proposal:
    return Proposal(
        application=application,
        kind=kind,
        internal_text=cast.REASONS[kind],
        applicant_text=cast.DENIAL if kind == ProposalKind.DENY else "",
        evidence_digest="0" * 64,
        proposed_by=by,
        proposed_at=at,
    )


def _compute_digests(proposals: list[Proposal]) -> None:
    """Set evidence digests and rules of open proposals, so that they can be confirmed."""
    for proposal in proposals:
        if proposal.status == ProposalStatus.OPEN:
            application = Application.objects.select_related("lead").get(pk=proposal.application_id)
            proposal.evidence_digest = evidence.compute_digest(application)
            proposal.rule = get_needs(application, ProposalKind(proposal.kind)).reference
            proposal.save(update_fields=["evidence_digest", "rule"])


def _opened(document: Document, by: Actor, at: datetime) -> Step:
    details = {
        "document_id": str(document.external_id),
        "llc_file_type": str(document.llc_file_type),
    }
    return Step(EventType.DOCUMENT_OPENED, Status.IN_REVIEW, by, at, details)


def _proposed(proposal: Proposal, by: Actor) -> Step:
    details = {"proposal_id": str(proposal.external_id), "kind": str(proposal.kind)}
    return Step(EventType.PROPOSED, Status.IN_REVIEW, by, proposal.proposed_at, details)


def _write(application: Application, story: list[Step]) -> Iterator[Event]:
    """Yield an unsaved event per step, chained by hash; set the status of the application."""
    lead, previous = application.lead, ""
    for step in story:
        has_moved = step.status != previous
        if has_moved:
            application.status, application.status_changed_at = step.status, step.at
        event = Event(
            lead=lead,
            application=application,
            type=step.type,
            role=step.by.role,
            who=step.by.who,
            status=step.status,
            previous_status=previous if has_moved else "",
            details=step.details,
            occurred_at=step.at,
        )
        previous = step.status
        yield append_to_chain(event)
    lead.published_sequence = lead.last_sequence  # generated events are not published


def _set_clock(application: Application, story: list[Step]) -> None:
    """Set the timestamps and the due time of the application from the steps."""
    at = {step.type: step.at for step in story}
    application.submitted_at = at.get(EventType.SUBMITTED)
    application.entered_at = at.get(EventType.STARTED)
    application.remind_at = first_look(Status(application.status), at=story[-1].at)
    application.review_began_at = at.get(EventType.IN_REVIEW)
    application.touched_at = at.get(EventType.CLAIMED)
    if application.status in DECIDED:
        application.decided_at = story[-1].at
    if application.status == Status.APPROVED_TEMPORARY:
        application.expiration_date = (story[-1].at + timedelta(days=30)).date()
    if application.status == Status.IN_REVIEW and application.review_began_at:
        hours = HOURS_OF_A_DAY if application.touched_at else FIRST_TOUCH_HOURS
        application.due_at = add_business_hours(application.review_began_at, hours)


def _point_again(rows: list, *names: str) -> None:
    """Copy to `rows` the primary keys of related rows that were unsaved when they were assigned."""
    for row in rows:
        for name in names:
            setattr(row, name, getattr(row, name))


def _last_key(model: type[Lead | Owner]) -> int:
    return model.objects.order_by("-pk").values_list("pk", flat=True).first() or 0


def _ssn(number: int) -> str:
    """Return an SSN that is never issued: group 00."""
    return f"9{number // 10_000 % 100:02d}-00-{number % 10_000:04d}"


def _birth_date(dice: Random) -> date:
    return date(1950, 1, 1) + timedelta(days=dice.randrange(19_000))


def _employ(first: str, last: str) -> User:
    email = f"{first}.{last}@example.com".lower()
    names = {"first_name": first, "last_name": last, "user_type": UserType.STAFF}
    return User.objects.filter(email=email).first() or User.objects.create_user(email, **names)


def _store_sample(kind: LlcFileType, *marks: str) -> tuple[str, int, str]:
    """Store a sample of a kind with marks, unless it is stored; return name, size and SHA-256."""
    content, _, file_name = sample_documents.draw(kind, marks=marks)
    sha256 = hashlib.sha256(content).hexdigest()
    path, storage = f"leads/made-up/{sha256[:12]}-{file_name}", document_storage()
    name = path if storage.exists(path) else storage.save(path, ContentFile(content))
    return name, len(content), sha256
