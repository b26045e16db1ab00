"""Submissions: an applicant's signature and consents, checked and saved in one transaction."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from onboarding import legal_texts
from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import Entry, LegalText
from onboarding.event_types import EventType
from onboarding.models import Application, Consent, FlowSession, Lead
from onboarding.models.people import Person
from onboarding.queries import evidence, fixed_rows
from onboarding.queries.holdings import walk
from onboarding.queries.leads import LeadFile, lock_application, open_lead_file
from onboarding.queries.requirements import Kind, Requirement
from onboarding.services.applications import lifecycle
from onboarding.services.applications.attempts import LeadLocked
from onboarding.services.events import history
from onboarding.services.events.history import APPLICANT
from onboarding.services.leads import signed_records
from onboarding.services.leads.changes import check_between
from onboarding.services.leads.holders import require_shares
from onboarding.signed_names import is_own_name

BLOCKING = {Kind.FIELD, Kind.EDD, Kind.OWNER}  # documents and proofs of identity may follow
SHORTEST_NAME = 2  # letters
USER_AGENT_MAX = 255
OF_EVENT = ["entry", "session_digest", "is_code_waived"]  # facts of a signature in its event


class Incomplete(Exception):
    """Values that every submission needs are missing."""

    def __init__(self, requirements: list[Requirement]) -> None:
        self.requirements = requirements
        super().__init__(", ".join(requirement.code for requirement in requirements))


class ChangedMeanwhile(Exception):
    """The lead has changed since the applicant was shown the data to sign."""


class TwoControlPersons(Exception):
    """More than one person is marked as control person of the business."""


class HoldersUnexplained(Exception):
    """Somebody who is not named may hold 25 percent of the business through a trust or company."""


class NotAgreed(Exception):
    """Some legal texts are not agreed to, or not in their current version."""

    def __init__(self, texts: list[LegalText]) -> None:
        self.texts = texts
        super().__init__(", ".join(texts))


class TextsChanged(NotAgreed):
    """Some legal texts have a newer version than the version shown to the applicant."""


class CodeMissing(Exception):
    """The applicant must enter a mailed code before signing.

    A partner's token opened the session, and no contract exempts this partner from the code.
    """


@dataclass(frozen=True)
class Origin:
    """The origin of a signature: session, IP address and user agent."""

    session: FlowSession | None = None
    address: str = ""
    user_agent: str = ""

    @property
    def entry(self) -> str:
        """Return EMBEDDED or HOSTED; empty without a session, as in the sandbox's activities."""
        if self.session is None:
            return ""
        return Entry.EMBEDDED if self.session.is_embedded else Entry.HOSTED

    @property
    def facts(self) -> dict[str, Any]:
        """Return the columns of a consent that hold its origin."""
        entered_at = self.session.code_entered_at if self.session else None
        return {
            "entry": self.entry,
            "session_digest": self.session.digest if self.session else "",
            "address": self.address,
            "user_agent": self.user_agent[:USER_AGENT_MAX],
            "code_entered_at": entered_at,
            "is_code_waived": self.entry == Entry.EMBEDDED and entered_at is None,
        }


NOWHERE = Origin()


class NotAName(Exception):
    """The text typed as a signature is not a name."""


class AnotherName(Exception):
    """The signature is not the signer's first and last name."""


@transaction.atomic
def submit(
    application: Application,
    *,
    signed_name: str,
    agreed: Mapping[LegalText, str],
    language: str,
    seen: str,
    at: datetime,
    origin: Origin = NOWHERE,
) -> Application:
    """Submit an application. If two calls run at once, the second raises LeadLocked.

    `agreed` has the shown version of each text that the applicant ticked, `seen` the value of
    `state_of` when the data was shown.
    Raises: LeadLocked, Incomplete, Invalid and SharesExceeded for shares that do not add up,
    HoldersUnexplained, TwoControlPersons,
    ChangedMeanwhile, NotAgreed, TextsChanged, NotAName, AnotherName, and last CodeMissing.
    """
    locked = lock_application(pk=application.pk)
    if locked is None or not Status(locked.status).is_editable:
        raise LeadLocked
    file = open_lead_file(locked)
    name = _check(file, signed_name=signed_name, agreed=agreed, language=language, seen=seen)
    _require_code(locked.lead, origin)
    answers = {
        "answers_digest": evidence.compute_answers_digest(file.people, file.holdings),
        "answers_version": evidence.get_answers_version(),
    }
    consents = write_consents(
        LegalText,
        agreed,
        language,
        application=locked,
        signed_name=name,
        agreed_at=at,
        **answers,
        **origin.facts,
    )
    record = signed_records.compose(file, consents, language=language)
    record.save()
    locked.submitted_at = at
    locked.save(update_fields=["submitted_at"])
    texts = {text.value: agreed[text] for text in LegalText}
    details: dict[str, Any] = {
        "texts": texts,
        "language": language,
        **answers,
        "record_digest": record.digest,
        **fixed_rows.fix(*consents, record),
    }
    if origin.entry:
        details |= {name: origin.facts[name] for name in OF_EVENT}
    if origin.facts["is_code_waived"]:
        details["code_waiver_contract"] = locked.lead.partner.code_waiver_contract
    history.record(locked, EventType.CONSENTED, by=APPLICANT, at=at, **details)
    lifecycle.move(locked, Status.SUBMITTED, by=APPLICANT, at=at)
    return locked


def require_signable(
    application: Application,
    *,
    signed_name: str,
    agreed: Mapping[LegalText, str],
    language: str,
    seen: str,
) -> str:
    """Check a submission and return the signed name with single spaces. Locks and saves nothing.

    Raises: as `submit`, except LeadLocked and CodeMissing.
    """
    file = open_lead_file(application)
    return _check(file, signed_name=signed_name, agreed=agreed, language=language, seen=seen)


def _check(
    file: LeadFile,
    *,
    signed_name: str,
    agreed: Mapping[LegalText, str],
    language: str,
    seen: str,
) -> str:
    name = " ".join(signed_name.split())
    _require_complete(file)
    if seen != state_of(file.lead):
        raise ChangedMeanwhile
    require_agreement(LegalText, agreed, language)
    require_own_name(name, file.lead)
    return name


def write_consents(
    texts: Iterable[LegalText], agreed: Mapping[LegalText, str], language: str, **facts: Any
) -> list[Consent]:
    """Save the agreement to each of the texts, with further columns in `facts`."""
    consents = [
        Consent(
            text=text,
            version=agreed[text],
            language=legal_texts.current(text, language).language,
            **facts,
        )
        for text in texts
    ]
    return Consent.objects.bulk_create(consents)


def require_agreement(
    texts: Iterable[LegalText], agreed: Mapping[LegalText, str], language: str
) -> None:
    """Require agreement to the current version of each text. Raises: NotAgreed, TextsChanged."""
    texts = list(texts)
    if unticked := [text for text in texts if not agreed.get(text)]:
        raise NotAgreed(unticked)
    outdated = [
        text for text in texts if agreed[text] != legal_texts.current(text, language).version
    ]
    if outdated:
        raise TextsChanged(outdated)


def require_own_name(name: str, person: Person) -> None:
    """Require the person's first and last name as a signature. Raises: NotAName, AnotherName."""
    if sum(character.isalpha() for character in name) < SHORTEST_NAME:
        raise NotAName
    if not is_own_name(name, first_name=person.first_name, last_name=person.last_name):
        raise AnotherName


def state_of(lead: Lead) -> str:
    """Return a version of the data that the applicant signs, to compare with the shown version."""
    return lead.updated_at.isoformat()


def list_blocking(requirements: Iterable[Requirement]) -> list[Requirement]:
    """Return those requirements that block the submission; documents and identity may follow."""
    return [requirement for requirement in requirements if requirement.kind in BLOCKING]


def _require_code(lead: Lead, origin: Origin) -> None:
    """Refuse a signature in a session opened by a partner's token, without a mailed code.

    A contract with the partner can exempt its applicants. Raises: CodeMissing.
    Source: 31 CFR 1010.230(b), the owners are certified by the person who opens the account.
    """
    if origin.facts["is_code_waived"] and not lead.partner.code_waiver_contract:
        raise CodeMissing


def _require_complete(file: LeadFile) -> None:
    if missing := list_blocking(file.requirements):
        raise Incomplete(missing)
    check_between(file.lead, file.owners)
    require_shares(file.lead, file.owners, file.holdings)
    if any(one.is_unexplained for one in walk(file.holdings)):
        raise HoldersUnexplained
    if [person.is_control_person for person in file.people].count(True) > 1:
        raise TwoControlPersons
