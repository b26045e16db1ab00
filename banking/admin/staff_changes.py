"""The screens of proposed changes, which a second administrator confirms, and of staff events."""

from django.contrib import admin, messages
from django.urls import reverse
from django.utils import timezone

from banking.admin.staff_people import PersonFilter
from banking.choices import StaffChangeStatus
from banking.errors import StepRefused
from banking.models import StaffChange, StaffEvent
from banking.services import new_accountants, staff_accounts, staff_changes
from banking.services.access_changes import NEW_ACCOUNT
from banking.services.new_accountants import NEW_ACCOUNTANT
from foundation.backoffice import cells
from foundation.backoffice.lists import date_filter
from foundation.backoffice.screens import FactsAdmin, aside, fieldset, link_to, stack
from foundation.backoffice.site import Figure, figures

INVITING = {  # the mails to people who can sign in from now on
    NEW_ACCOUNT.name: staff_accounts.invite,
    NEW_ACCOUNTANT.name: new_accountants.invite,
}
PROPOSED = (
    "Proposed. It takes effect when a second administrator has confirmed it, in the list "
    "“Proposed changes”."
)


@admin.register(StaffChange)
class StaffChangeAdmin(FactsAdmin):
    """Proposed changes. Users with the permission to change them may confirm or reject them."""

    change_form_template = "admin/banking/staffchange/change_form.html"
    has_history = False
    list_display = ["what", "about", "state", "proposal", "settlement"]
    list_filter = ["status", date_filter("proposed_at")]
    list_select_related = ["subject", "proposed_by", "settled_by"]
    ordering = ["-pk"]
    search_fields = ["subject__email", "proposed_by__email", "settled_by__email"]
    fieldsets = [
        fieldset("Proposed change", "what", "about", "person"),
        fieldset("People", "proposer", "proposed", "second", "settled"),
        aside("Record", "state", "digest", "external_id"),
    ]
    steps = ["confirm", "reject"]
    headline_badge = state = cells.badge_of("status")
    proposed = cells.timestamp_of("proposed_at")
    settled = cells.timestamp_of("settled_at", "ended")

    def get_queryset(self, request):
        return self.of_this_screen(super().get_queryset(request))

    def of_this_screen(self, changes):
        """Return the changes that this screen lists: all but the bank's operations."""
        return changes.exclude(kind__in=staff_changes.list_operations())

    def headline(self, change):
        return kind_label(change)

    @admin.display(description="change", ordering="kind")
    def what(self, change):
        return kind_label(change)

    @admin.display(description="in words")
    def about(self, change):
        kind = staff_changes.kinds.get(change.kind)
        more = [link_to(kind.row(change), "Details")] if kind and kind.row else []
        return cells.lines([*change.summary, *more])

    @admin.display(description="person concerned")
    def person(self, change):
        return link_to(change.subject, change.subject.email) if change.subject else ""

    @admin.display(description="proposed by", ordering="proposed_by__email")
    def proposer(self, change):
        return change.proposed_by.email

    @admin.display(description="proposed", ordering="proposed_at")
    def proposal(self, change):
        return stack(self.proposer(change), cells.minute(change.proposed_at))

    @admin.display(description="ended", ordering="settled_at")
    def settlement(self, change):
        if not change.settled_at:
            return ""
        return stack(self.second(change), cells.minute(change.settled_at))

    @admin.display(description="second person", ordering="settled_by__email")
    def second(self, change):
        return change.settled_by.email if change.settled_by else ""

    def more_facts(self, request, change):
        return {
            "is_open": change.status == StaffChangeStatus.OPEN,
            "is_own": change.proposed_by_id == request.user.pk,
        }

    def confirm(self, request, change):
        """Carry out a change that another administrator proposed.

        If it makes an account, mail an invitation to the person.
        """
        try:
            done = staff_changes.confirm(change, by=request.user, at=timezone.now())
        except StepRefused as exc:
            self.message_user(request, str(exc), messages.WARNING)
            return
        self.message_user(request, "The change is confirmed and in force.", messages.SUCCESS)
        if done.kind in INVITING:
            self._invite(request, INVITING[done.kind], done.subject)

    def reject(self, request, change):
        """Reject a change that another administrator proposed, or withdraw one's own."""
        try:
            staff_changes.reject(change, by=request.user, at=timezone.now())
        except StepRefused as exc:
            self.message_user(request, str(exc), messages.WARNING)
        else:
            self.message_user(request, "The proposal is rejected.", messages.SUCCESS)

    def _invite(self, request, invite, user):
        try:
            invite(user)
        except OSError:  # includes the errors of SMTP
            text = (
                f"The mail could not be sent. Ask {user.email} to request a link at "
                "/password-reset."
            )
            self.message_user(request, text, messages.WARNING)
        else:
            self.message_user(request, f"An invitation was mailed to {user.email}.")


@admin.register(StaffEvent)
class StaffEventAdmin(FactsAdmin):
    """The staff events: on accounts of staff, groups, rules, keys, exports and searches."""

    has_history = False
    list_display = ["number", "happened", "what", "about", "by"]
    list_filter = ["type", date_filter("occurred_at", "day"), PersonFilter]
    ordering = ["-number"]
    search_fields = ["details"]
    fieldsets = [
        fieldset("Event", "what", "about", "by", "happened"),
        aside("Record", "number", "request_id", "digest", "previous_digest", "external_id"),
    ]
    what = cells.badge_of("type", "event")
    happened = cells.timestamp_of("occurred_at")

    @admin.display(description="about")
    def about(self, event):
        details = event.details
        return cells.lines(details.get("summary") or filter(None, [details.get("email")]))

    @admin.display(description="by")
    def by(self, event):
        return event.details.get("by") or "An operator"


def propose_change(screen, request, propose):
    """Call `propose` with the user and the time, and return the proposal.

    Show a message about the result. Return None if the proposal was refused.
    """
    try:
        proposed = propose(by=request.user, at=timezone.now())
    except StepRefused as exc:
        screen.message_user(request, str(exc), messages.ERROR)
        return None
    screen.message_user(request, PROPOSED, messages.WARNING)
    return proposed


def kind_label(change):
    """Return the kind of a change as words."""
    kind = staff_changes.kinds.get(change.kind)
    return kind.label if kind else change.kind


@figures("Staff")
def proposed_changes(request):
    """Return a list with the figure of open changes; empty for users who may not confirm any."""
    if not request.user.has_perm("banking.change_staffchange"):
        return []
    changes = StaffChange.objects.exclude(kind__in=staff_changes.list_operations())
    return [figure_of_open(changes, "Changes that wait for a second person")]


def figure_of_open(changes, label):
    """Return the figure of the open changes in a queryset of changes, with a link to their list."""
    url = reverse(
        f"admin:banking_{changes.model._meta.model_name}_changelist",
        query={"status__exact": StaffChangeStatus.OPEN.value},
    )
    return Figure(label, changes.filter(status=StaffChangeStatus.OPEN), url)
