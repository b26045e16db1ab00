"""Resets of a customer's lost second factor, on the screens of the customer."""

from banking.admin.records import RecordsAdmin
from banking.models import User


class SecondFactorScreen(RecordsAdmin):
    """Screen with a button for each user of a customer that proposes to reset the second factor.

    Only members of staff who may change users see the buttons.
    """

    change_form_template = "admin/banking/customer.html"

    def more_facts(self, request, customer):
        users = self.list_users(customer).exclude(staticdevice=None)
        may_reset = request.user.has_perm("banking.change_user")
        return super().more_facts(request, customer) | {
            "resettable": list(users.order_by("email").distinct()) if may_reset else []
        }

    def list_users(self, customer):
        """Return the queryset of the users who sign in for the customer."""
        return User.objects.filter(accountant=customer)
