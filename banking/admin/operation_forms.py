"""Forms of bank operations; the cleaned data are the keywords of the services that propose."""

from decimal import Decimal

from django import forms

from banking import money
from banking.models import Account, LinkedAccount
from banking.services.bank_operations import MAX_CENTS

ADD, TAKE = "ADD", "TAKE"
OUTSIDE = "OUTSIDE"
NEEDS_PAYEE = "Name who gets the money, and how."
INSIDE_CLOSES = "This account would be closed, too. Choose a destination outside the bank."
STATEMENT_TEXT = "Customers read it in transactions and statements. Do not mention suspicions."


class OperationForm(forms.Form):
    """Form with the reason, which every operation has. `row` is the row that would be changed."""

    reason = forms.CharField(
        max_length=500,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="For the second person and the auditors. Customers do not read it.",
    )

    def __init__(self, *args, row, **kwargs):
        super().__init__(*args, **kwargs)
        self.row = row


class StatementTextForm(OperationForm):
    """Form of an operation with a text that customers read in transactions and statements."""

    statement_text = forms.CharField(
        label="Text on the statement",
        max_length=100,
        widget=forms.TextInput(attrs={"size": 60}),
        help_text=STATEMENT_TEXT,
    )
    field_order = ["statement_text", "reason"]


class AmountForm(StatementTextForm):
    """Form of an operation with an amount of dollars, cleaned to `amount_cents`."""

    amount = forms.DecimalField(
        label="Amount in dollars",
        min_value=Decimal("0.01"),
        max_value=Decimal(MAX_CENTS).scaleb(-2),
        decimal_places=2,
    )
    field_order = ["amount", "statement_text", "reason"]

    def clean(self):
        super().clean()
        said = self.cleaned_data
        if "amount" in said:
            said["amount_cents"] = money.cents(said.pop("amount"))
        return said


class AdjustForm(AmountForm):
    """Form of a correcting posting; `amount_cents` is negative if money leaves the account."""

    direction = forms.ChoiceField(
        choices=[
            ("", "Choose the direction"),  # none is chosen for the clerk
            (ADD, "Add to the account"),
            (TAKE, "Take from the account"),
        ]
    )
    field_order = ["direction", "amount", "statement_text", "reason"]

    def clean(self):
        super().clean()
        said = self.cleaned_data
        if said.pop("direction", ADD) == TAKE and "amount_cents" in said:
            said["amount_cents"] = -said["amount_cents"]
        return said


class CloseForm(OperationForm):
    """Form of the closing of an account, or of all open accounts of the business.

    The field `destination` says where the balance goes: an account of the business here or
    elsewhere, or the other destination that `payee` describes. Cleaned, `target` is the account
    here or None, and `destination` is the text of a destination outside the bank or empty.
    """

    closes_all = forms.BooleanField(
        label="Close every open account of this business", required=False
    )
    payee = forms.CharField(
        label="Other destination",
        max_length=150,
        required=False,
        widget=forms.TextInput(attrs={"size": 60}),
        help_text=(
            "Who gets the money and how, for example “Cashier's check to Bakery LLC”. Customers "
            "read it. Do not write full account numbers."
        ),
    )
    field_order = ["closes_all", "destination", "payee", "reason"]

    def __init__(self, *args, row, **kwargs):
        super().__init__(*args, row=row, **kwargs)
        others = Account.objects.open().filter(business=row.business_id, credit_limit_cents=None)
        self.inside = {str(one.pk): one for one in others.exclude(pk=row.pk).order_by("pk")}
        linked = LinkedAccount.objects.filter(business=row.business_id).order_by("pk")
        self.linked = {
            f"LINKED-{one.pk}": f"{one.institution_name}, {one.account_name} {one.masked_number}"
            for one in linked
        }
        choices = [
            ("", "Nothing: the balance is zero"),
            *((pk, f"{one.name} {one.masked_number}") for pk, one in self.inside.items()),
            *self.linked.items(),
            (OUTSIDE, "Another destination"),
        ]
        self.fields["destination"] = forms.ChoiceField(
            label="The balance goes to", required=False, choices=choices
        )
        self.order_fields(self.field_order)

    def clean(self):
        super().clean()
        said = self.cleaned_data
        chosen, payee = said.pop("destination", ""), said.pop("payee", "")
        target = self.inside.get(chosen)
        if chosen == OUTSIDE and not payee:
            self.add_error("payee", NEEDS_PAYEE)
        if target and said.get("closes_all"):
            self.add_error("destination", INSIDE_CLOSES)
        outside = payee if chosen == OUTSIDE else self.linked.get(chosen, "")
        return {**said, "target": target, "destination": outside}
