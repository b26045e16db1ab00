"""Review clocks: waiting time and deadline of a case as text and badges."""

from datetime import timedelta

from django.utils.formats import date_format
from django.utils.timezone import localtime

from foundation.backoffice.screens import badge
from foundation.times import CLOCK_FORMAT, show_day, show_time
from onboarding.business_hours import HOURS_OF_A_DAY, business_hours_between
from onboarding.choices import StatusGroup

OPEN = {StatusGroup.PROCESSING, StatusGroup.ACTION_REQUIRED}
SOON = timedelta(hours=2)
NAMED_BY_WEEKDAY = timedelta(days=6)  # a later day has the weekday of another one
HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)
DAY = HOUR * HOURS_OF_A_DAY


def span(passed):
    """Format business hours: "40 min", "3 business hours" or, from 16 on, "2 business days"."""
    if passed < HOUR:
        return f"{passed // MINUTE} min"
    if passed < 2 * DAY:
        hours = passed // HOUR
        return f"{hours} business hour{'' if hours == 1 else 's'}"
    return f"{passed // DAY} business days"


def brief_span(passed):
    """Format business hours for a narrow column: "40 min", "3 h" or, from 16 on, "2 d"."""
    if passed < HOUR:
        return f"{passed // MINUTE} min"
    return f"{passed // HOUR} h" if passed < 2 * DAY else f"{passed // DAY} d"


def waiting(application, at, say=span):
    """Return the business time since the last status change, as text by the function `say`.

    Empty before the submission, and once the application is approved or closed.
    """
    if application.group not in OPEN:
        return ""
    return say(business_hours_between(application.status_changed_at, at))


def clock_badge(application, at):
    """Return the deadline of staff's next step as a badge; empty without a deadline.

    The next step is a look at new hits, the first touch, or the decision.
    """
    if application.due_at is None:
        return ""
    step = "Decision" if application.touched_at else "First touch"
    if application.new_hit_at:
        step = "Hits"
    return _badge_of(step, application.due_at, at)


def case_clock_badge(case, at, step="Case"):
    """Return the due time of a customer case or a screening hit as a badge, if the time is `at`.

    The badge shows the date if that is more than six days away, else the weekday and the time, in
    the last two hours the minutes left, and after the due time that the case is late.
    """
    if case.due_at - at > NAMED_BY_WEEKDAY:
        title = f"Due by {show_time(case.due_at)}"
        return badge("due", f"Due {show_day(case.due_at)}", title)
    return _badge_of(step, case.due_at, at)


def _badge_of(step, due_at, at):
    title = f"{step} due by {show_time(due_at)}"
    left = due_at - at
    if left <= timedelta(0):
        return badge("overdue", f"{step} late", title)
    if left < SOON:
        return badge("due_soon", f"Due in {left // MINUTE} min", title)
    return badge("due", f"Due {date_format(localtime(due_at), f'D {CLOCK_FORMAT}')}", title)
