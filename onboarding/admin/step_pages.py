"""Step pages: steps of staff about a row, each with a page for its form or a button."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from django.contrib import messages
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from banking.admin import step_forms
from banking.errors import StepRefused
from foundation.backoffice.screens import FactsAdmin
from onboarding.admin.case_forms import StepForm
from onboarding.errors import Refused

REFUSALS = (StepRefused, Refused)


@dataclass(frozen=True)
class StepPage:
    """A step about a row: its permission, form and service call.

    `take` gets the row, the cleaned data, and the keywords `by` and `at`; it returns the message.
    Without a form the step is a button. `is_offered` gets the row, the user and the time.
    `effect` is a text above the form. The usual next step has the tone `first`.
    """

    label: str
    permission: str
    take: Callable[..., str]
    is_offered: Callable[..., bool]
    form: type[StepForm] | None = None
    effect: str = ""
    tone: str = ""


class StepPages(FactsAdmin):
    """Base of screens that offer steps of staff. Shape of `step_pages`: by the name in the URL."""

    change_form_template = "admin/onboarding/step_pages.html"
    step_pages: dict[str, StepPage] = {}

    def get_urls(self):
        pages = [
            self.page(
                name,
                partial(self.may_take, step),
                method=partial(self.show_step if step.form else self.take_step, name, step),
                guard=require_http_methods(["GET", "HEAD", "POST"]) if step.form else require_POST,
            )
            for name, step in self.step_pages.items()
        ]
        return [*pages, *super().get_urls()]

    def may_take(self, step, request):
        """Return whether the user may see these rows and has the permission of a step."""
        return self.has_view_permission(request) and request.user.has_perm(step.permission)

    def take_step(self, _name, step, request, row):
        """Take a step without a form, and show its message, or a warning if it is refused."""
        try:
            said = step.take(row, {}, by=request.user, at=timezone.now())
        except REFUSALS as exc:
            self.message_user(request, _text_of(exc), messages.WARNING)
        else:
            self.message_user(request, said, messages.SUCCESS)

    def show_step(self, name, step, request, row):
        """Show the form of a step; on POST take the step and redirect to the page of the row.

        A form that is not valid (422) or refused (409) is shown again with its errors.
        """
        form = step.form(request.POST or None, application=row, name=name)

        def take(said):
            return step.take(row, said, by=request.user, at=timezone.now())

        message, status = step_forms.take(request, form, take, refusals=REFUSALS, say=_text_of)
        if message:
            self.message_user(request, message, messages.SUCCESS)
            return self.to_page("change", row)
        return self.show_page(
            request,
            step_forms.TEMPLATE,
            status=status,
            original=row,
            title=step.label,
            headline=self.headline(row),
            effect=step.effect,
            form=form,
        )

    def more_facts(self, request, row):
        now = timezone.now()
        offered = [
            {
                "url": self._url_of(name, row),
                "label": step.label,
                "is_first": step.tone == "first",
                "has_form": step.form is not None,
            }
            for name, step in self.step_pages.items()
            if self.may_take(step, request) and step.is_offered(row, user=request.user, at=now)
        ]
        return {**super().more_facts(request, row), "offered_steps": offered}

    def _url_of(self, name, row):
        return reverse(f"admin:{self.opts.app_label}_{self.opts.model_name}_{name}", args=[row.pk])


def _text_of(refusal):
    if isinstance(refusal, Refused):
        return " ".join(dict.fromkeys(fault.text() for fault in refusal.faults))
    return str(refusal)
