"""The ledger: postings, and the entries that they are made of."""

from django.db import models
from django.db.models import Q
from uuid_utils.compat import uuid7

from banking.models.accounts import Account
from banking.models.users import User
from foundation.database.constraints import check, unique


class Posting(models.Model):
    """Two or more entries that sum to zero. Save it after its entries, which are then final.

    Triggers on both databases refuse a posting whose entries do not balance, an entry for a
    posting that is there, and any change or deletion. A correction is another posting that
    `reverses` this one.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    posted_at = models.DateTimeField()
    description = models.CharField(max_length=255, blank=True)
    posted_by = models.ForeignKey(
        User, models.PROTECT, null=True, blank=True, related_name="+", db_index=False
    )
    idempotency_key = models.CharField(max_length=100, blank=True)
    reverses = models.OneToOneField(
        "self", models.PROTECT, null=True, blank=True, related_name="reversed_by"
    )

    class Meta:
        constraints = [
            check(
                "posting_does_not_reverse_itself", Q(reverses=None) | ~Q(reverses=models.F("id"))
            ),
            unique(
                "posting_idempotency_key_unique",
                "idempotency_key",
                condition=~Q(idempotency_key=""),
            ),
        ]

    def __str__(self) -> str:
        return f"posting {self.id}"


class Entry(models.Model):
    """The signed amount in cents that a posting adds to an account.

    A posting has at most one entry per account.
    """

    posting = models.ForeignKey(Posting, models.PROTECT, related_name="entries", db_index=False)
    account = models.ForeignKey(Account, models.PROTECT, related_name="entries", db_index=False)
    amount_cents = models.BigIntegerField()
    posted_at = models.DateTimeField(help_text="That of the posting; a trigger compares them.")

    class Meta:
        verbose_name_plural = "entries"
        constraints = [
            check("entry_amount_not_zero", ~Q(amount_cents=0)),
            unique("entry_one_per_account", "posting", "account"),
        ]
        indexes = [
            models.Index(
                name="entry_by_account",
                fields=["account", "posted_at", "id"],
                include=["amount_cents", "posting"],
            ),
        ]

    def __str__(self) -> str:
        return f"entry {self.pk}"
