"""Mail texts: subject, plain text and HTML of each mail, in the reader's language."""

import re
from collections.abc import Callable
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.translation import gettext

from banking.models import User
from banking.services import invitations
from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import LlcFileType, StatusGroup
from onboarding.event_types import CODE_MAILS, OWNER_MAILS, MailKind
from onboarding.models import ApiKey, Application, Delivery, DeliveryAttempt, Mail, Partner, Webhook
from onboarding.queries.leads import list_owners, open_lead_file
from onboarding.queries.messages import explain_denial, get_message
from onboarding.queries.requirements import Kind, Requirement
from onboarding.queries.sign_ins import SignIn, get_user
from onboarding.queries.webhooks import SECRETS
from onboarding.services.access import links
from onboarding.services.webhooks import endpoints

FOLDER = "onboarding/mail"
DEFAULT_COLOR = "#0f5b6e"  # of flow.css
BLANK_LINES = re.compile(r"\s*\n\s*\n")
WANTED = {Kind.DOCUMENT, Kind.IDENTITY}
ASKING = {MailKind.WANTED, MailKind.REMINDER, MailKind.APPROVED_TEMPORARY}
SO_IN = {  # the statuses in which a mail is true
    MailKind.APPROVED: {Status.APPROVED},
    MailKind.APPROVED_TEMPORARY: {Status.APPROVED_TEMPORARY},
    MailKind.INVITATION: {Status.APPROVED, Status.APPROVED_TEMPORARY},
    MailKind.OWNER_INVITATION: {Status.APPROVED, Status.APPROVED_TEMPORARY},
    MailKind.DENIED: {Status.DENIED},
    MailKind.MESSAGE: set(Status),
    MailKind.OWNER_ASKED: {Status.CREATED, Status.IN_PROGRESS},
    MailKind.OWNER_REMINDER: {Status.CREATED, Status.IN_PROGRESS},
    MailKind.OWNER_COMPLETED: {Status.CREATED, Status.IN_PROGRESS},
}


class Overtaken(Exception):
    """The mail is no longer true or useful, and is cancelled."""


class CodeExpired(Exception):
    """The mail waited longer than its code is valid, and counts as given up."""


def compose(mail: Mail, *, at: datetime) -> EmailMultiAlternatives:
    """Return the message of a mail, composed from the present data.

    The only personal data in it is the name of the business and, for an owner, the name of the
    applicant. A repeated mail has the same Message-ID. Raises: Overtaken, CodeExpired.
    """
    with translation.override(mail.language):
        facts = _facts(mail, at)
        subject, text = _render_text(f"{mail.kind.lower()}.txt", facts)
        facts |= {"subject": subject, "blocks": text.split("\n\n"), "language": mail.language}
        html = render_to_string(f"{FOLDER}/layout.html", facts)
    message = EmailMultiAlternatives(
        subject,
        text,
        to=[facts["to"]],
        reply_to=[facts["support_email"]] if facts["support_email"] else None,
        headers={
            "Message-ID": f"<{mail.external_id}@{urlsplit(settings.BASE_URL).hostname}>",
            "Auto-Submitted": "auto-generated",
        },
    )
    message.attach_alternative(html, "text/html")
    return message


def _facts(mail: Mail, at: datetime) -> dict[str, Any]:
    if mail.application:
        _require_use(mail, mail.application, at)
        return _facts_of_application(mail, mail.application, at)
    if mail.webhook_id:
        return _facts_of_webhook(mail, mail.webhook_id)
    key = mail.api_key
    if key is None or key.revoked_at or key.expires_at <= at:
        raise Overtaken("the access key has ended")
    return _facts_of_key(key)


def _facts_of_application(mail: Mail, application: Application, at: datetime) -> dict[str, Any]:
    lead = application.lead
    wanted = _wanted(application) if mail.kind in ASKING else []
    about = FACTS.get(MailKind(mail.kind))
    return {
        **_facts_of_partner(lead.partner),
        "to": lead.email,
        "phone": settings.BANK_PHONE,
        "business_name": _in_one_line(lead.business_name) or gettext("your business"),
        "code": mail.code,
        "minutes": int(settings.CODE_LIFETIME.total_seconds() // 60),
        "wanted": wanted,
        "list": "\n".join(f"- {item}" for item in wanted),
        "deadline": application.deadline,
        "expiration_date": application.expiration_date,
        "location": links.location(application),
        "is_link_live": application.is_current and application.link_expires_at > at,
        "link_expires_at": application.link_expires_at,
        **(about(mail, application) if about else {}),
    }


def _facts_of_invitation(_mail: Mail, application: Application) -> dict[str, Any]:
    """Return the applicant's kind of sign-in, with the invitation link to a new user."""
    return _facts_of_sign_in(get_user(application))


def _facts_of_owner_invitation(mail: Mail, application: Application) -> dict[str, Any]:
    """Return the kind of sign-in of an owner besides the applicant, who is the recipient.

    Raises: Overtaken if the owner does not sign in for the business any more.
    """
    signs_in = {"pk": mail.user_id, "business_owner__business__accounts__application": application}
    user = User.objects.filter(**signs_in).first()
    if user is None:
        raise Overtaken("the owner does not sign in any more")
    has_full_access = user.business_owner.has_full_access
    return {**_facts_of_sign_in(user), "to": user.email, "has_full_access": has_full_access}


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


def _facts_of_completion(_mail: Mail, application: Application) -> dict[str, Any]:
    """Return whether no other owner is waited for."""
    return {"is_ready": not any(one.is_waited_for for one in list_owners(application.lead))}


def _facts_of_owner(mail: Mail, application: Application) -> dict[str, Any]:
    """Return the owner as the recipient, with the owner's link. Raises: Overtaken.

    A link is mailed to the owner who is invited now, at the present address.
    """
    owner = mail.owner
    if owner is None or not owner.email or not owner.has_own_part:
        raise Overtaken("the owner is not asked any more")
    if mail.kind in {MailKind.OWNER_ASKED, MailKind.OWNER_REMINDER} and not owner.is_waited_for:
        raise Overtaken("the owner has completed their part")
    invitation = owner.invitation
    return {
        "to": owner.email,
        "asked_by": _in_one_line(application.lead.full_name) or application.lead.email,
        "location": links.owner_location(invitation),
        "link_expires_at": invitation.link_expires_at,
        "is_owners": True,
    }


FACTS: dict[MailKind, Callable[[Mail, Application], dict[str, Any]]] = {
    MailKind.INVITATION: _facts_of_invitation,
    MailKind.OWNER_INVITATION: _facts_of_owner_invitation,
    MailKind.MESSAGE: _facts_of_message,
    MailKind.DENIED: _facts_of_denial,
    MailKind.OWNER_COMPLETED: _facts_of_completion,
    **dict.fromkeys(OWNER_MAILS, _facts_of_owner),
}


def _facts_of_key(key: ApiKey) -> dict[str, Any]:
    label = _in_one_line(key.label)
    return {
        **_facts_to_partner(key.partner),
        "key": f"{key.access_key} ({label})" if label else key.access_key,
        "expires_at": key.expires_at,
    }


def _facts_of_webhook(mail: Mail, pk: int) -> dict[str, Any]:
    """Return the facts about a failing or disabled webhook. Raises: Overtaken."""
    webhook = Webhook.objects.defer(*SECRETS).select_related("partner").get(pk=pk)
    if webhook.deleted_at:
        raise Overtaken("the webhook was deleted")
    if webhook.is_active == (mail.kind == MailKind.WEBHOOK_DISABLED):
        raise Overtaken("the webhook was disabled or enabled since")
    since = webhook.failing_since
    if webhook.is_active and (since is None or since > mail.created_at):
        raise Overtaken("the webhook has worked since")
    sent = Delivery.objects.filter(lane__webhook=webhook)
    attempts = DeliveryAttempt.objects.filter(delivery__in=sent.exclude(failing_since=None))
    api = f"{settings.BASE_URL}/service/api/v1"
    return {
        **_facts_to_partner(webhook.partner),
        "endpoint": _endpoint(webhook),
        "since": since,
        "failed": attempts.order_by("-at", "-pk").first(),
        "is_gone": webhook.disabled_reason == endpoints.GONE,
        "ends_at": since and since + settings.WEBHOOK_DISABLED_AFTER,
        "disabled_at": mail.created_at,
        "waiting": sent.exclude(next_attempt_at=None).count(),
        "recover_from": since or mail.created_at,
        "url": f"{api}/webhooks/{webhook.external_id}",
        "docs": f"{api}/docs",
    }


def _endpoint(webhook: Webhook) -> str:
    """Return host and path of a webhook; its query and user name may be secret."""
    parts = urlsplit(webhook.server_url)
    return parts.netloc.rpartition("@")[2] + parts.path


def _facts_to_partner(partner: Partner) -> dict[str, Any]:
    """Return the facts of a mail to a partner's support email. Raises: Overtaken without it."""
    if not partner.support_email:
        raise Overtaken("the partner has no address any more")
    return {**_facts_of_partner(partner), "to": partner.support_email, "support_email": ""}


def _facts_of_partner(partner: Partner) -> dict[str, Any]:
    return {
        "bank_name": settings.BANK_NAME,
        "partner_name": _in_one_line(partner.shown_name),
        "is_bank": partner.is_bank,
        "support_email": partner.support_email,
        "color": partner.brand_color or DEFAULT_COLOR,
    }


def _require_use(mail: Mail, application: Application, at: datetime) -> None:
    """Refuse a mail that the application's status contradicts. Raises: Overtaken, CodeExpired."""
    kind, status = MailKind(mail.kind), Status(application.status)
    if kind in CODE_MAILS:
        _require_good_code(mail, at)
    elif kind in SO_IN:
        if status not in SO_IN[kind]:
            raise Overtaken("the application was decided anew")
    elif not application.is_current or status.group is StatusGroup.CLOSED:
        raise Overtaken("the application has ended")
    elif kind in ASKING and status.group is not StatusGroup.ACTION_REQUIRED:
        raise Overtaken("nothing is asked for any more")


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
    """Return the text of a requirement, without names or the reason given by staff."""
    what = _in_one_line(str(requirement.message))
    if requirement.code.endswith("_REQUESTED"):
        what = " / ".join(str(LlcFileType(kind).label) for kind in requirement.accepted_types)
    return gettext("For another owner: %(what)s") % {"what": what} if requirement.ubo_id else what


def _render_text(name: str, facts: dict[str, Any]) -> tuple[str, str]:
    """Return subject and text: the first line of the template and the rest, evenly spaced."""
    lines = render_to_string(f"{FOLDER}/{name}", facts).strip()
    subject, text = BLANK_LINES.sub("\n\n", lines).split("\n", 1)
    return subject, text.strip()


def _in_one_line(name: str) -> str:
    """Return a name without line breaks, safe in headers and paragraphs."""
    return " ".join(name.split())
