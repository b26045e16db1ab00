"""Pages on which clerks propose bank operations on an account, a card or a transaction."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.contrib import messages
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from banking.admin import step_forms
from banking.admin.operation_forms import OperationForm
from banking.admin.staff_changes import kind_label
from banking.choices import StaffChangeStatus
from banking.models import BankOperation
from banking.services import staff_changes
from foundation.backoffice.screens import FactsAdmin, link_to

PROPOSE = "banking.add_bankoperation"
PROPOSED = "Proposed. It takes effect when a second person has confirmed it, in “Bank operations”."
MAX_PROPOSALS = 10  # shown on a page


@dataclass(frozen=True)
class Operation:
    """An operation that a page offers.

    `propose` gets the row, the cleaned data of the form, and the keywords `by` and `at`.
    `is_offered` returns whether the state of the row allows it. `effect` is a text for the page.
    """

    label: str
    propose: Callable[..., Any]
    is_offered: Callable[[Any], bool]
    effect: str
    form: type[OperationForm] = OperationForm


class OperationPages(FactsAdmin):
    """Screen of facts with a page for each of its `operations`.

    Shape: the keys of `operations` are the names in the URLs.
    """

    change_form_template = "admin/banking/operations.html"
    operations: dict[str, Operation] = {}

    def get_urls(self):
        pages = [
            self.page(
                name,
                self.may_propose,
                method=partial(self.operate, operation),
                guard=require_http_methods(["GET", "HEAD", "POST"]),
            )
            for name, operation in self.operations.items()
        ]
        return [*pages, *super().get_urls()]

    def may_propose(self, request):
        """Return whether the user may see these rows and propose operations."""
        return self.has_view_permission(request) and request.user.has_perm(PROPOSE)

    def operate(self, operation, request, row):
        """Show the form of an operation; when it is sent, propose the operation on the row."""
        form = operation.form(request.POST or None, row=row)

        def propose(said):
            return operation.propose(row, **said, by=request.user, at=timezone.now())

        proposed, status = step_forms.take(request, form, propose)
        if proposed:
            self.message_user(request, PROPOSED, messages.WARNING)
            return redirect("admin:banking_bankoperation_change", proposed.pk)
        return self.show_page(
            request,
            step_forms.TEMPLATE,
            status=status,
            original=row,
            title=operation.label,
            headline=self.headline(row),
            effect=f"{operation.effect} A second person must confirm it.",
            button="Propose",
            form=form,
        )

    def more_facts(self, request, row):
        if not request.user.has_perm("banking.view_bankoperation"):
            return super().more_facts(request, row)
        offered = self.operations if self.may_propose(request) else {}
        return {
            **super().more_facts(request, row),
            "proposals": [
                link_to(one, f"{kind_label(one)}, proposed by {one.proposed_by.email}")
                for one in self._list_open(row)
            ],
            "offered": [
                (f"admin:{self.opts.app_label}_{self.opts.model_name}_{name}", one.label)
                for name, one in offered.items()
                if one.is_offered(row)
            ],
        }

    def _list_open(self, row):
        kinds = [
            name
            for name in staff_changes.list_operations()
            if staff_changes.kinds[name].model is type(row)
        ]
        rows = BankOperation.objects.filter(
            kind__in=kinds, status=StaffChangeStatus.OPEN, payload__row=row.pk
        )
        return rows.select_related("proposed_by").order_by("-pk")[:MAX_PROPOSALS]
