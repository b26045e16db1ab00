"""Access keys: the columns that the keys of partners and of the bank's systems share."""

import ipaddress
from datetime import datetime
from typing import Self

from django.db import models
from django.db.models import F, Q

from foundation.database.constraints import check


class AccessKeyQuerySet(models.QuerySet["AccessKey"]):
    """Access keys."""

    def live(self, *, at: datetime) -> Self:
        return self.filter(revoked_at=None, expires_at__gt=at)


class AccessKey(models.Model):
    """An access key with a secret and, until `previous_expires_at`, the previous secret.

    Only keyed hashes of secrets are stored. A subclass has a column `permissions`, a list of texts,
    and a `prefix` of its access keys.
    """

    prefix: str
    permissions: "models.JSONField[list[str], list[str]]"
    access_key = models.CharField(max_length=64, unique=True, editable=False)
    label = models.CharField(max_length=100, blank=True)
    secret_digest = models.CharField(max_length=64, editable=False)
    previous_digest = models.CharField(max_length=64, blank=True, editable=False)
    previous_expires_at = models.DateTimeField(null=True, editable=False)
    networks = models.JSONField(
        default=list, blank=True, help_text="CIDR ranges that may call; empty allows any address."
    )
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True, editable=False)
    last_used_at = models.DateTimeField(null=True, blank=True, editable=False)

    objects = AccessKeyQuerySet.as_manager()

    class Meta:
        abstract = True
        constraints = [
            check(
                "%(class)s_previous_secret_has_an_end",
                Q(previous_digest="") ^ Q(previous_expires_at__isnull=False),
            ),
            check("%(class)s_secrets_differ", ~Q(secret_digest=F("previous_digest"))),
        ]

    def __str__(self) -> str:
        return self.access_key

    def admits(self, address: str) -> bool:
        """Return whether calls with this key may come from the IP address."""
        if not self.networks:
            return True
        try:
            caller = ipaddress.ip_address(address)
        except ValueError:
            return False
        return any(caller in ipaddress.ip_network(network) for network in self.networks)
