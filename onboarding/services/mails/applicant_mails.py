"""Applicant mails: the facts of mails about an application, and when a mail is no longer true.

Facts are the variables of a mail's template.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.conf import settings
from django.utils.translation import gettext

from banking.models import BusinessOwner, User
from banking.services import invitations
from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import CaseOutcome, LlcFileType, StatusGroup
from onboarding.event_types import CHANGE_MAILS, CODE_MAILS, OWNER_MAILS, MailKind
from onboarding.models import Application, Mail
from onboarding.queries import customer_changes
from onboarding.queries.leads import list_owners, open_lead_file
from onboarding.queries.messages import explain_denial, get_message
from onboarding.queries.requirements import Kind, Requirement
from onboarding.queries.sign_ins import SignIn, get_user
from onboarding.queries.steps import list_unfinished
from onboarding.queries.time_zones import say_time
from onboarding.services.access import links, reminder_links
from onboarding.services.mails.facts import CodeExpired, Overtaken, facts_of_partner, in_one_line

WANTED = {Kind.DOCUMENT, Kind.IDENTITY}
UNSUBMITTED = {status for status in Status if status.is_editable}
WAITING = {status for status in Status if status.group is StatusGroup.ACTION_REQUIRED}
TEMPORARY = {Status.APPROVED_TEMPORARY}
SO_IN = {  # the statuses in which a mail is true
    MailKind.NUDGE: UNSUBMITTED,
    MailKind.ENDING: UNSUBMITTED | WAITING,
    MailKind.EXPIRED: {Status.EXPIRED},
    MailKind.WITHDRAWN: {Status.WITHDRAWN},
    MailKind.SUBMITTED: set(Status) - UNSUBMITTED,
    MailKind.WANTED: WAITING,
    MailKind.REMINDER: WAITING,
    MailKind.APPROVED: {Status.APPROVED},
    MailKind.APPROVED_TEMPORARY: TEMPORARY,
    MailKind.TEMPORARY_ENDING: TEMPORARY,
    MailKind.INVITATION: {Status.APPROVED, *TEMPORARY},
    MailKind.OWNER_INVITATION: {Status.APPROVED, *TEMPORARY},
    MailKind.DENIED: {Status.DENIED},
    MailKind.MESSAGE: set(Status),
    MailKind.OWNER_ASKED: UNSUBMITTED,
    MailKind.OWNER_REMINDER: UNSUBMITTED,
    MailKind.OWNER_COMPLETED: UNSUBMITTED,
}
ENDS = {MailKind.EXPIRED, MailKind.WITHDRAWN}


def facts_of_application(mail: Mail, application: Application, *, at: datetime) -> dict[str, Any]:
    """Return the template variables of a mail about an application, from the present data.

    Raises: Overtaken if the mail is no longer true or useful; CodeExpired.
    """
    _require_use(mail, application, at)
    lead, deadline = application.lead, application.deadline
    about = FACTS.get(MailKind(mail.kind))
    facts = {
        **facts_of_partner(lead.partner),
        "to": lead.email,
        "first_name": in_one_line(lead.first_name),
        "phone": settings.BANK_PHONE,
        "business_name": in_one_line(lead.business_name) or gettext("your business"),
        "code": mail.code,
        "minutes": int(settings.CODE_LIFETIME.total_seconds() // 60),
        "deadline": say_time(deadline) if deadline else "",
        "expiration_date": application.expiration_date,
        "location": links.location(application),
        "is_link_live": application.is_current and application.link_expires_at > at,
        "link_expires_at": say_time(application.link_expires_at),
        **(about(mail, application) if about else {}),
    }
    return {**facts, "list": "\n".join(f"- {item}" for item in facts.get("wanted", []))}


def _facts_of_request(_mail: Mail, application: Application) -> dict[str, Any]:
    """Return the documents and proofs of identity that are still to be sent, as `wanted`."""
    return {"wanted": _wanted(application)}


def _facts_of_temporary_end(_mail: Mail, application: Application) -> dict[str, Any]:
    """Return the documents that are still to be sent to keep a temporary account open.

    Raises: Overtaken if no document is left to be sent.
    """
    wanted = _wanted(application)
    if not wanted:
        raise Overtaken("nothing is asked for any more")
    return {"wanted": wanted}


def _facts_of_nudge(mail: Mail, application: Application) -> dict[str, Any]:
    """Return the steps that the applicant has not finished, and the link that stops reminders.

    Raises: Overtaken if reminders were stopped, the partner does not send them, or the applicant
    came back after the mail was queued.
    """
    if application.nudges_stopped_at or not application.lead.partner.sends_nudges:
        raise Overtaken("reminders were stopped")
    if application.entered_at and application.entered_at > mail.created_at:
        raise Overtaken("the applicant has come back")
    steps = list_unfinished(open_lead_file(application).requirements)
    return {
        "has_begun": application.status != Status.CREATED,
        "step": steps[0].label,
        "wanted": [step.label for step in steps],
        "stop_url": reminder_links.location(application),
    }


def _facts_of_ending(mail: Mail, application: Application) -> dict[str, Any]:
    """Return the facts of the notice that the application is about to expire.

    They are the unfinished steps before the submission, else the documents still to be sent.
    Raises: Overtaken before the submission, in the cases of `_facts_of_nudge`.
    """
    if application.status in UNSUBMITTED:
        return {**_facts_of_nudge(mail, application), "is_unsubmitted": True}
    return _facts_of_request(mail, application)


def _facts_of_submission(_mail: Mail, application: Application) -> dict[str, Any]:
    signed_at = application.submitted_at
    return {
        "reference": application.reference,
        "signed_at": say_time(signed_at) if signed_at else "",
    }


def _facts_of_end(_mail: Mail, application: Application) -> dict[str, Any]:
    return {
        "ended_at": say_time(application.status_changed_at),
        "was_submitted": application.submitted_at is not None,
    }


def _facts_of_invitation(_mail: Mail, application: Application) -> dict[str, Any]:
    """Return how the applicant signs in, with an invitation link for a user without a password."""
    return _facts_of_sign_in(get_user(application))


def _facts_of_owner_invitation(mail: Mail, application: Application) -> dict[str, Any]:
    """Return how an owner other than the applicant signs in; this owner is the recipient.

    Raises: Overtaken if the owner does not sign in for the business any more.
    """
    signs_in = {"pk": mail.user_id, "business_owner__business__accounts__application": application}
    user = User.objects.filter(**signs_in).first()
    if user is None:
        raise Overtaken("the owner does not sign in any more")
    owner = user.business_owner
    return {
        **_facts_of_sign_in(user),
        "to": user.email,
        "first_name": in_one_line(owner.first_name),
        "has_full_access": owner.has_full_access,
    }


def _facts_of_completion(_mail: Mail, application: Application) -> dict[str, Any]:
    """Return `is_ready`: true if no invited owner still has to complete their part."""
    return {"is_ready": not any(one.is_waited_for for one in list_owners(application.lead))}


def _facts_of_owner(mail: Mail, application: Application) -> dict[str, Any]:
    """Return the facts of a mail to an owner with their own part: the address and the link.

    Both are read as they are now. Automatic reminders have a link that stops them, too.
    Raises: Overtaken if the owner has no part of their own or no email any more; for invitations
    and reminders also if the part is complete, for automatic reminders if they were stopped; for
    the mail about a signature if the owner was asked again since.
    """
    owner = mail.owner
    if owner is None or not owner.email or not owner.has_own_part:
        raise Overtaken("the owner is not asked any more")
    if mail.kind in {MailKind.OWNER_ASKED, MailKind.OWNER_REMINDER} and not owner.is_waited_for:
        raise Overtaken("the owner has completed their part")
    invitation = owner.invitation
    completed_at, is_signed = invitation.completed_at, mail.kind == MailKind.OWNER_SIGNED
    if is_signed and not completed_at:
        raise Overtaken("the owner was asked for their part again")
    is_automatic = mail.kind == MailKind.OWNER_REMINDER and mail.event_id is not None
    if is_automatic and invitation.reminders_stopped_at:
        raise Overtaken("reminders were stopped")
    stop = {"stop_url": reminder_links.owner_location(invitation)} if is_automatic else {}
    return {
        **stop,
        "to": owner.email,
        "first_name": in_one_line(owner.first_name),
        "asked_by": in_one_line(application.lead.full_name) or application.lead.email,
        "location": links.owner_location(invitation),
        "link_expires_at": say_time(invitation.link_expires_at),
        "is_owners": True,
        "is_signed": is_signed,
        "signed_at": say_time(completed_at) if completed_at else "",
    }


def _facts_of_change(mail: Mail, application: Application) -> dict[str, Any]:
    """Return the bank's decision about a change of data, for the owner who asked for the change.

    An active user who is no owner any more gets the mail, too, without a name and a link.
    Raises: Overtaken if the user is not active, or the change has no such decision.
    """
    user = mail.user
    if user is None or not user.is_active:
        raise Overtaken("the owner does not sign in any more")
    change_id = mail.event.details.get("change_id") if mail.event else None
    change = customer_changes.get_decided_change(
        application, user=user, change_id=change_id, until=mail.created_at
    )
    is_made = mail.kind == MailKind.CHANGE_MADE
    if change is None or is_made != (change.outcome == CaseOutcome.CHANGE_APPROVED):
        raise Overtaken("there is no such decision")
    owner = BusinessOwner.objects.filter(user=user, business=change.customer.business_id).first()
    reason = change.published_denial_reason
    return {
        "to": user.email,
        "first_name": in_one_line(owner.first_name) if owner else "",
        "asked_at": change.opened_at,
        "wanted": customer_changes.list_subjects(change),
        "explanation": customer_changes.DENIALS.get(reason or "", ""),
        "changes_url": f"{settings.BASE_URL}/account/changes" if owner else "",
    }


def _facts_of_sign_in(user: User | None) -> dict[str, Any]:
    sign_in = SignIn.of(user)
    return {
        "sign_in": sign_in,
        "invitation": invitations.location(user) if user and sign_in is SignIn.INVITED else "",
        "days": settings.INVITATION_LIFETIME.days,
        "sign_in_url": f"{settings.BASE_URL}/sign-in",
    }


def _facts_of_message(mail: Mail, application: Application) -> dict[str, Any]:
    message = get_message(application, at=mail.created_at)
    if message is None:
        raise Overtaken("there is no message")
    return {"message": message.text}


def _facts_of_denial(_mail: Mail, application: Application) -> dict[str, Any]:
    return {"explanation": explain_denial(application), "account": application.account}


FACTS: dict[MailKind, Callable[[Mail, Application], dict[str, Any]]] = {
    MailKind.NUDGE: _facts_of_nudge,
    MailKind.ENDING: _facts_of_ending,
    MailKind.EXPIRED: _facts_of_end,
    MailKind.WITHDRAWN: _facts_of_end,
    MailKind.SUBMITTED: _facts_of_submission,
    MailKind.WANTED: _facts_of_request,
    MailKind.REMINDER: _facts_of_request,
    MailKind.APPROVED_TEMPORARY: _facts_of_request,
    MailKind.TEMPORARY_ENDING: _facts_of_temporary_end,
    MailKind.INVITATION: _facts_of_invitation,
    MailKind.OWNER_INVITATION: _facts_of_owner_invitation,
    MailKind.OWNER_COMPLETED: _facts_of_completion,
    **dict.fromkeys(OWNER_MAILS, _facts_of_owner),
    **dict.fromkeys(CHANGE_MAILS, _facts_of_change),
    MailKind.MESSAGE: _facts_of_message,
    MailKind.DENIED: _facts_of_denial,
}


def _require_use(mail: Mail, application: Application, at: datetime) -> None:
    """Refuse a mail that the application's status contradicts. Raises: Overtaken, CodeExpired."""
    kind, status = MailKind(mail.kind), Status(application.status)
    if kind in CODE_MAILS:
        _require_good_code(mail, at)
    elif not application.is_current and kind is not MailKind.MESSAGE:
        raise Overtaken("the application has ended")
    elif kind in SO_IN and status not in SO_IN[kind]:
        raise Overtaken("the status has changed")
    elif kind not in SO_IN and status.group is StatusGroup.CLOSED:
        raise Overtaken("the application has ended")


def _require_good_code(mail: Mail, at: datetime) -> None:
    """Refuse a mail with an access code that is no longer good.

    Raises: Overtaken if a newer code was mailed; CodeExpired if it expired by `at` or was deleted.
    """
    codes = Mail.objects.filter(
        application=mail.application_id, kind=mail.kind, owner=mail.owner_id
    )
    if codes.filter(pk__gt=mail.pk).exists():
        raise Overtaken("a newer code was asked for")
    if (mail.expires_at and mail.expires_at <= at) or not mail.code:
        raise CodeExpired("the code has expired")


def _wanted(application: Application) -> list[str]:
    missing = open_lead_file(application).requirements
    wanted = (one for one in missing if one.kind in WANTED and one.is_awaited)
    return list(dict.fromkeys(map(_say, wanted)))


def _say(requirement: Requirement) -> str:
    """Return the text of a requirement, with staff's reason and without the name of an owner."""
    what = in_one_line(str(requirement.message))
    if requirement.code.endswith("_REQUESTED"):
        kinds = " / ".join(str(LlcFileType(kind).label) for kind in requirement.accepted_types)
        what = f"{kinds}: {what}"
    return gettext("For another owner: %(what)s") % {"what": what} if requirement.ubo_id else what
