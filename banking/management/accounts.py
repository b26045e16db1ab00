"""Find the account that a command's argument names."""

from uuid import UUID

from django.core.management.base import CommandError

from banking.models import Account
from banking.numbers import ACCOUNT_NUMBER_DIGITS


def find_account(name: str) -> Account:
    """Return a customer's account by external id or number. Raises: CommandError."""
    is_number = len(name) == ACCOUNT_NUMBER_DIGITS and name.isdecimal()
    try:
        key = {"account_number": name} if is_number else {"external_id": UUID(name)}
        return Account.objects.of_customers().get(**key)
    except (ValueError, Account.DoesNotExist):
        raise CommandError("There is no account of a customer with this id or number.") from None
