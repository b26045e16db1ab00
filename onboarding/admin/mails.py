"""Mails: screens of mails to applicants and partners, with status and sent text."""

from contextlib import suppress

from csp.constants import NONE, UNSAFE_INLINE
from csp.decorators import csp_replace
from django.contrib import admin, messages
from django.db.models import Q
from django.http import Http404, HttpResponse
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.utils.translation import get_language_info
from django.views.decorators.clickjacking import xframe_options_sameorigin

from banking.errors import StepRefused
from foundation.backoffice.cells import table_of, timestamp, timestamp_of
from foundation.backoffice.lists import CappedPaginator, date_filter, link_to_list
from foundation.backoffice.screens import aside, badge, fieldset, link_to, stack
from foundation.privacy.encryption import DecryptionError
from foundation.privacy.fields import encrypted_names
from onboarding.admin.list_search import SearchByKeys
from onboarding.admin.people import lead_name
from onboarding.choices import MailStatus
from onboarding.models import ApiKey, Lead, Mail, Webhook
from onboarding.models.mails import ENCRYPTED
from onboarding.queries import search
from onboarding.queries.webhooks import SECRETS
from onboarding.services.mails import repeats
from onboarding.services.mails.sent_copies import SentCopy

NEWEST = 10
LONGEST_REASON = 200  # characters
FROM_LIST = "Given up, sent again with others"
ONLY_STYLES = {"default-src": [NONE], "style-src": [UNSAFE_INLINE], "sandbox": True}
ENCRYPTED_FIELDS = [f"application__lead__{name}" for name in encrypted_names(Lead)]
ENCRYPTED_FIELDS += [f"webhook__{name}" for name in SECRETS]


class MailScreen:
    """Display fields of a mail."""

    created = timestamp_of("created_at", "queued")

    @admin.display(description="what", ordering="kind")
    def what(self, mail):
        return mail.get_kind_display()

    @admin.display(description="sent or due")
    def sent_or_due(self, mail):
        return timestamp(mail.due_at if mail.status == MailStatus.QUEUED else mail.sent_at)

    @admin.display(description="status", ordering="status")
    def state(self, mail):
        label = badge(mail.status, mail.get_status_display())
        return stack(label, mail.fault) if mail.fault else label


@admin.register(Mail)
class MailAdmin(MailScreen, SearchByKeys):
    change_form_template = "admin/onboarding/mail/change_form.html"
    list_display = ["what", "about", "state", "attempts", "created", "sent_or_due"]
    list_filter = ["status", "kind", date_filter("created_at", "day queued")]
    ordering = ["-pk"]
    search_path, find_keys = "application", staticmethod(search.search_applications)
    search_help_text = "Email, name, phone, partner, reference, or an id of any kind."
    id_fields = ["external_id", "application__external_id", "application__lead__external_id"]
    id_fields += ["webhook__external_id"]
    paginator = CappedPaginator
    show_facets = admin.ShowFacets.NEVER
    actions = ["send_selected_again"]
    steps = ["send_again"]
    ends = timestamp_of("expires_at", "valid until")
    fieldsets = [
        fieldset("Mail", "what", "written_in", "state", "attempts", "sent_or_due"),
        aside("Record", "about", "created", "ends", "external_id"),
    ]

    def get_queryset(self, request):
        mails = super().get_queryset(request).defer(*ENCRYPTED, *ENCRYPTED_FIELDS)
        return mails.select_related(
            "application__lead", "user", "api_key__partner", "webhook__partner"
        )

    def more_matches(self, text):
        partners = search.find_partners(text)
        keys = list(ApiKey.objects.filter(partner__in=partners).values_list("pk", flat=True))
        hooks = list(Webhook.objects.filter(partner__in=partners).values_list("pk", flat=True))
        return Q(api_key__in=keys) | Q(webhook__in=hooks)

    def headline(self, mail):
        return mail.get_kind_display()

    def headline_badge(self, mail):
        return badge(mail.status, mail.get_status_display())

    def more_facts(self, _request, mail):
        return {"may_be_sent_again": mail.may_be_sent_again, "copy": read_copy(mail)}

    @admin.display(description="language")
    def written_in(self, mail):
        return get_language_info(mail.language)["name"]

    @admin.display(description="about")
    def about(self, mail):
        if mail.application:
            lead = mail.application.lead
            return stack(link_to(mail.application, lead_name(lead)), (mail.user or lead).email)
        if mail.webhook:
            url = mail.webhook.server_url
            is_kept = mail.webhook.deleted_at is None
            return stack(link_to(mail.webhook, url) if is_kept else url, mail.webhook.partner.name)
        return stack(link_to(mail.api_key, mail.api_key.access_key), mail.api_key.partner.name)

    def get_urls(self):
        page = self.page("content", self.has_view_permission, method=self.show_content)
        return [page, *super().get_urls()]

    def send_again(self, request, mail):
        """Queue the mail again, or a new one if it was sent, with the posted reason; log who did.

        Shows a warning and returns None for a mail that cannot be sent again.
        """
        try:
            reason = request.POST.get("reason", "")[:LONGEST_REASON]
            queued = repeats.send_again(mail, reason=reason, by=request.user, at=timezone.now())
        except StepRefused as exc:
            self.message_user(request, str(exc), messages.WARNING)
            return None
        self.log_change(request, mail, f"Sent again: {reason.strip()}")
        self.message_user(request, "The mail will be sent again.", messages.SUCCESS)
        return self.to_page("change", queued)

    @admin.action(description="Send the selected given-up mails again", permissions=["step"])
    def send_selected_again(self, request, mails):
        """Queue again those mails that were given up; skip all others, and mails with codes."""
        queued = 0
        for mail in mails:
            if mail.status != MailStatus.FAILED:
                continue
            with suppress(StepRefused):  # a code, or another person was quicker
                repeats.send_again(mail, reason=FROM_LIST, by=request.user, at=timezone.now())
                self.log_change(request, mail, f"Sent again: {FROM_LIST}")
                queued += 1
        if queued:
            self.message_user(request, f"{queued} to be sent again.", messages.SUCCESS)
        else:
            text = "Only mails that were given up can be sent again here. Codes cannot."
            self.message_user(request, text, messages.WARNING)

    @method_decorator(xframe_options_sameorigin)
    @method_decorator(csp_replace(ONLY_STYLES))
    def show_content(self, _request, mail):
        """Return the HTML of the sent mail for a sandboxed frame, without scripts and network.

        Raises: Http404 without a copy of the mail.
        """
        copy = read_copy(mail)
        if copy is None:
            raise Http404
        return HttpResponse(copy.html)


def read_copy(mail):
    """Return the copy of a sent mail; None if there is no copy, or no key decrypts the copy."""
    try:
        return SentCopy.read(mail.sent_copy)
    except DecryptionError:
        return None


def mail_table(webhook):
    """Return the table of the newest mails about a webhook, at most NEWEST."""
    screen = MailScreen()
    newest = webhook.mails.defer(*ENCRYPTED)[:NEWEST]
    cells = {
        "Queued": screen.created,
        "What": lambda mail: link_to(mail, screen.what(mail)),
        "Status": screen.state,
        "Sent or due": screen.sent_or_due,
    }
    more = link_to_list(Mail, "All mails", webhook=webhook.pk)
    return table_of("Mails", newest, cells, nothing="None yet.", more=more)
