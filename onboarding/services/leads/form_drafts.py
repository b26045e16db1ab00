"""Form drafts: typed values that are not saved, kept until they expire, and shown again.

A draft is bound to its application and page, and the draft of a signature to its session, too.
Pages never show a personal number of a draft.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet

from foundation.privacy.encryption import DecryptionError
from onboarding.errors import ErrorCode, Fault
from onboarding.lead_fields import ENCRYPTED
from onboarding.models import Application, FlowSession, FormDraft, Holder, Owner
from onboarding.queries.steps import Step
from onboarding.services.leads import marks

OWNER = "owner:"  # prefix of the applicant's page about an owner, before the owner's id
INVITATION = "invitation:"  # prefix of the applicant's page about the part of an owner
ADD_HOLDER = "add_holder"  # the page of a new trust or company
PERSON = "person"  # version of its draft while a person behind it is added
HOLDER = "holder:"  # prefix of the applicant's page about a trust or a company
STATUS = "status"  # the page of the answers to the bank
PART = "part"  # prefix of the pages of owners who fill in their own part
PHONE = "phone:"  # prefix of the pages of phones, whose drafts are remarks on what they sent
CHANGE = "change:"  # prefix of the pages on which an owner of a customer asks for a change
OF_OWNERS = {"owner", "invitation", "holder", "add_owner", "ask_owner", ADD_HOLDER}  # of pages
VALUE_MAX = 2500  # characters; a longer value is too long for every field, and stays so when cut
FORM_MAX = 64 * 1024  # characters; far more than any form here has


@dataclass(frozen=True)
class Draft:
    """Fields of a form as they were posted.

    `seen` holds the marks of the values that the page showed, `conflicts` the flat names that were
    changed elsewhere meanwhile, `faults` the faults between several values, `version` the state
    and language that a signature refers to, or the names of the fields whose errors were shown.
    `is_unsaved` says that fields were typed and not saved: they were not posted, posted after the
    session had ended, or left by a button that does not finish the form.
    """

    values: Mapping[str, list[str]]
    seen: str = ""
    conflicts: list[str] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    version: str = ""
    is_unsaved: bool = False

    def joined(self, newer: "Draft") -> "Draft":
        """Return this draft with the fields of a newer draft of the same page in their place.

        A blank personal number leaves the number of this draft.
        """
        given = {
            name: value
            for name, value in newer.values.items()
            if name not in ENCRYPTED or any(value) or name not in self.values
        }
        values = {**self.values, **given}
        conflicts = {*self.conflicts, *newer.conflicts}
        return replace(
            self,
            values=values,
            seen=marks.join(newer.seen, self.seen, fields=self.values.keys() - given.keys()),
            conflicts=sorted(one for one in conflicts if marks.field_name(one) in values),
            faults=newer.faults,
            version=newer.version or self.version,
            is_unsaved=newer.is_unsaved or (self.is_unsaved and bool(self.values)),
        )


@transaction.atomic
def add(application: Application, page: str, draft: Draft, *, at: datetime) -> None:
    """Add fields to the draft of a page, which other windows may add to at the same time."""
    known = find(application, page, at=at, is_locked=True)
    keep(application, page, known.joined(draft) if known else draft, at=at)


def keep(application: Application, page: str, draft: Draft, *, at: datetime) -> None:
    """Replace the draft of a page. Long values are cut.

    A draft without values, or of more than FORM_MAX characters, only deletes the stored draft.
    """
    values = {name: [one[:VALUE_MAX] for one in given] for name, given in draft.values.items()}
    content = json.dumps(
        {
            "values": values,
            "seen": draft.seen,
            "conflicts": draft.conflicts,
            "faults": [[fault.code.name, fault.path] for fault in draft.faults],
            "version": draft.version,
        },
        ensure_ascii=False,
    )
    if not values or len(content) > FORM_MAX:
        discard(application, page)
        return
    FormDraft.objects.defer("content").update_or_create(  # the old content may be undecryptable
        application=application,
        page=page,
        defaults={
            "content": content,
            "is_unsaved": draft.is_unsaved,
            "expires_at": at + settings.FORM_DRAFT_LIFETIME,
        },
    )


def find(
    application: Application, page: str, *, at: datetime, is_locked: bool = False
) -> Draft | None:
    """Return the unexpired draft of a page; None without a draft that can be decrypted.

    `is_locked` locks its row, in the caller's transaction.
    """
    rows = FormDraft.objects.live(at=at).filter(application=application, page=page)
    try:
        row = (rows.select_for_update() if is_locked else rows).first()
    except DecryptionError:
        return None
    if row is None:
        return None
    content = json.loads(row.content)
    content.pop("of", None)  # in drafts that were not bound to their row
    faults = [Fault(ErrorCode[code], tuple(path)) for code, path in content.pop("faults")]
    return Draft(**content, faults=faults, is_unsaved=row.is_unsaved)


def discard(application: Application, page: str) -> None:
    """Delete the draft of a page."""
    FormDraft.objects.filter(application=application, page=page).delete()


def discard_of(owners: QuerySet[Owner]) -> None:
    """Delete the drafts of the applicant's pages about owners, and of the owners' own pages."""
    found = owners.values_list("lead", "external_id")
    leads = {lead for lead, _ in found}
    pages = {page(owner_id) for _, owner_id in found for page in PAGES_OF_OWNERS}
    FormDraft.objects.filter(application__lead__in=leads, page__in=pages).delete()


def find_unsaved_page(application: Application, *, at: datetime) -> str | None:
    """Return the page into which the applicant typed last without saving, or None."""
    newest = unsaved_pages(list_pages(application, at=at))
    return next((page for page in newest if has_page(application, page)), None)


def list_pages(application: Application, *, at: datetime) -> list[tuple[str, bool]]:
    """Return the applicant's pages with a draft, the newest first, and whether it is unsaved."""
    drafts = FormDraft.objects.live(at=at).filter(application=application)
    for prefix in (PART, CHANGE, PHONE):
        drafts = drafts.exclude(page__startswith=prefix)
    of_applicant = drafts.order_by("-expires_at", "-pk")
    return list(of_applicant.values_list("page", "is_unsaved"))


def unsaved_pages(pages: Iterable[tuple[str, bool]]) -> list[str]:
    """Return the pages with typed values that are not saved."""
    return [page for page, is_unsaved in pages if is_unsaved]


def steps_with_drafts(pages: Iterable[tuple[str, bool]]) -> set[Step]:
    """Return the steps of the given pages with drafts; pages of owners belong to Step.OWNERS."""
    names = {page for page, _ in pages}
    is_owners = any(page.partition(":")[0] in OF_OWNERS for page in names)
    return {Step(name) for name in names & {*Step.values}} | ({Step.OWNERS} if is_owners else set())


def find_waiting_holder(application: Application, *, at: datetime) -> str | None:
    """Return the page of a trust or company that the applicant left to add a person behind it.

    If there are several such pages, the page with the newest draft. None without such a page.
    """
    drafts = FormDraft.objects.live(at=at).filter(application=application)
    of_holders = drafts.filter(Q(page=ADD_HOLDER) | Q(page__startswith=HOLDER))
    for page in of_holders.order_by("-pk").values_list("page", flat=True):
        draft = find(application, page, at=at)
        if draft and draft.version == PERSON and has_page(application, page):
            return page
    return None


def owner_page(owner_id: UUID) -> str:
    """Return the name of the applicant's page about an owner."""
    return f"{OWNER}{owner_id}"


def invitation_page(owner_id: UUID) -> str:
    """Return the name of the applicant's page about the part of an owner."""
    return f"{INVITATION}{owner_id}"


def holder_page(holder_id: UUID) -> str:
    """Return the name of the applicant's page about a trust or a company."""
    return f"{HOLDER}{holder_id}"


def part_page(owner_id: UUID) -> str:
    """Return the name of the page on which an owner fills in their own part."""
    return f"{PART}:{owner_id}"


def change_page(user_id: int, name: str) -> str:
    """Return the name of a page on which a signed-in owner asks for a change."""
    return f"{CHANGE}{user_id}:{name}"


def phone_page(link_id: UUID) -> str:
    """Return the name of the page on which a phone sends pictures."""
    return f"{PHONE}{link_id}"


def session_page(name: str, session: FlowSession) -> str:
    """Return the name of a page whose draft only the given flow session reads."""
    return f"{name}:{session.pk}"


def has_page(application: Application, page: str) -> bool:
    """Return whether a page exists; the pages of an owner end with the owner's removal."""
    owner_id = page.partition(":")[2]
    if page.startswith(HOLDER):
        return Holder.objects.filter(lead=application.lead_id, external_id=owner_id).exists()
    if not page.startswith((OWNER, INVITATION)):
        return True
    return application.lead.owners.filter(external_id=owner_id).exists()


PAGES_OF_OWNERS = (owner_page, invitation_page, part_page)
