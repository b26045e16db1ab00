"""Notifications of the signed-in user: the list, the number in the header, and the mails."""

from django import forms
from django.contrib import admin, messages
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.views.decorators.http import require_http_methods, require_POST

from foundation.backoffice.cells import timestamp_of
from foundation.backoffice.lists import CappedPaginator, OptionsFilter
from foundation.backoffice.screens import FactsAdmin, badge, fieldset, stack
from foundation.backoffice.site import HeaderLink, header_link
from foundation.privacy.fields import encrypted_names
from onboarding.admin.people import lead_name
from onboarding.admin.staff_names import name_of
from onboarding.choices import NotificationKind
from onboarding.models import Lead, MutedMail, Notification
from onboarding.queries.notifications import address_of
from onboarding.services import notifications

VIEW = "onboarding.view_notification"
MAX_COUNTED = 100
ENCRYPTED = [f"application__lead__{name}" for name in encrypted_names(Lead)]


@header_link
def bell(request):
    """Return the link to the user's notifications with the number of unread ones; one statement.

    None for a user who may not view notifications.
    """
    user = request.user
    if not (user.is_active and user.is_staff and user.has_perm(VIEW)):
        return None
    unread = Notification.objects.filter(user=user, read_at=None)
    count = unread.order_by()[:MAX_COUNTED].count()
    shown = f"{MAX_COUNTED - 1}+" if count == MAX_COUNTED else count
    return HeaderLink("Notifications", shown, reverse("admin:onboarding_notification_changelist"))


class ReadFilter(OptionsFilter):
    """Filter by whether a notification was read."""

    title, parameter_name = "read", "read"
    options = [("no", "Unread"), ("yes", "Read")]

    def queryset(self, request, queryset):
        if self.value() not in {"no", "yes"}:
            return queryset
        return queryset.filter(read_at__isnull=self.value() == "no")


class MailsForm(forms.Form):
    """Form for the kinds of notifications about which the user gets a mail."""

    kinds = forms.MultipleChoiceField(
        label="Send me a mail, too, when",
        choices=NotificationKind,
        widget=forms.CheckboxSelectMultiple,
        required=False,
        help_text="All of these are in the list of notifications, mailed or not.",
    )


@admin.register(Notification)
class NotificationAdmin(FactsAdmin):
    """The user's own notifications; nobody sees another user's notifications."""

    change_list_template = "admin/onboarding/notification/change_list.html"
    has_history = False
    list_display = ["what", "case", "person", "notified", "opening"]
    list_display_links = None
    list_filter = [ReadFilter, "kind"]
    ordering = ["-pk"]
    paginator = CappedPaginator
    show_facets = admin.ShowFacets.NEVER
    id_fields = []
    actions = ["mark_selected_read"]
    steps = ["open"]
    fieldsets = [fieldset("Notification", "what", "case", "person", "notified")]
    notified = timestamp_of("at", "when")

    def has_step_permission(self, request):
        return self.has_view_permission(request)

    def get_queryset(self, request):
        mine = super().get_queryset(request).filter(user=request.user)
        mine = mine.select_related("application__lead", "customer_case", "hit", "by")
        return mine.defer(*ENCRYPTED, "customer_case__content")

    def get_urls(self):
        may = self.has_view_permission
        either = require_http_methods(["GET", "HEAD", "POST"])
        return [
            self.list_page("mails/", "mails", self.mails, is_allowed=may, guard=either),
            self.list_page("read/", "read", self.read_all, is_allowed=may, guard=require_POST),
            *super().get_urls(),
        ]

    def open(self, request, notification):
        """Mark a notification as read, and redirect to its case or screening hit."""
        notifications.mark_read(request.user, pks=[notification.pk], at=timezone.now())
        return redirect(address_of(notification))

    @admin.action(description="Mark the selected notifications as read", permissions=["view"])
    def mark_selected_read(self, request, chosen):
        pks = chosen.order_by().values_list("pk", flat=True)
        self._say_read(request, notifications.mark_read(request.user, pks=pks, at=timezone.now()))

    def read_all(self, request):
        """Mark all notifications of the user as read."""
        self._say_read(request, notifications.mark_read(request.user, at=timezone.now()))
        return redirect("admin:onboarding_notification_changelist")

    def mails(self, request):
        """Show and save the kinds of notifications that are mailed to the user."""
        muted = set(MutedMail.objects.filter(user=request.user).values_list("kind", flat=True))
        mailed = [kind for kind in NotificationKind.values if kind not in muted]
        is_sent = request.method == "POST"
        form = MailsForm(
            request.POST if is_sent else None, initial={"kinds": mailed}, label_suffix=""
        )
        if is_sent and form.is_valid():
            notifications.set_mails(request.user, kinds=form.cleaned_data["kinds"])
            messages.success(request, "Saved.")
            return redirect("admin:onboarding_notification_mails")
        page = "onboarding/notification/mails"
        return self.show_page(request, page, title="Mails about notifications", form=form)

    def _say_read(self, request, count):
        noun = "notification is" if count == 1 else "notifications are"
        messages.success(request, f"{count} {noun} marked as read.")

    @admin.display(description="what", ordering="kind")
    def what(self, notification):
        label = notification.get_kind_display()
        return label if notification.read_at else format_html("<strong>{}</strong>", label)

    @admin.display(description="case")
    def case(self, notification):
        if hit := notification.hit:
            return stack(f"{hit.get_party_kind_display()} in the bank's records", hit.matched)
        application, case = notification.application, notification.customer_case
        which = case.get_kind_display() if case else application.reference
        return stack(lead_name(application.lead), which)

    @admin.display(description="by")
    def person(self, notification):
        return name_of(notification.by) if notification.by else ""

    @admin.display(description="")
    def opening(self, notification):
        url = reverse("admin:onboarding_notification_open", args=[notification.pk])
        state = "" if notification.read_at else badge("open_hit", "Unread")
        return format_html(
            '<button class="quiet-button" formaction="{}">Open</button> {}', url, state
        )
