"""Partners and the access keys that they call with."""

import ipaddress
from datetime import datetime
from typing import Self

from django.db import models
from django.db.models import F, Q
from uuid_utils.compat import uuid7

from onboarding.choices import Permission


class Partner(models.Model):
    """A company that registers applicants over the Lead API."""

    external_id = models.UUIDField(unique=True, default=uuid7, editable=False)
    name = models.CharField(max_length=100, unique=True)
    suspended_at = models.DateTimeField(
        null=True, blank=True, help_text="Set, every call of the partner is refused."
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name

    def suspend(self, *, at: datetime) -> bool:
        """Refuse every call of the partner from now on; say whether that is new."""
        return bool(Partner.objects.filter(pk=self.pk, suspended_at=None).update(suspended_at=at))

    def reinstate(self) -> bool:
        """Let the partner call again; say whether that is new."""
        suspended = Partner.objects.filter(pk=self.pk, suspended_at__isnull=False)
        return bool(suspended.update(suspended_at=None))


class ApiKeyQuerySet(models.QuerySet["ApiKey"]):
    """Access keys."""

    def live(self, *, at: datetime) -> Self:
        return self.filter(revoked_at=None, expires_at__gt=at)


def every_permission() -> list[str]:
    """Return what a new key may do: everything."""
    return Permission.values


class ApiKey(models.Model):
    """An access key with at most two live secrets, of which only keyed hashes are stored."""

    partner = models.ForeignKey(Partner, models.PROTECT, related_name="api_keys")
    access_key = models.CharField(max_length=64, unique=True, editable=False)
    label = models.CharField(max_length=100, blank=True)
    secret_digest = models.CharField(max_length=64, editable=False)
    previous_digest = models.CharField(max_length=64, blank=True, editable=False)
    previous_expires_at = models.DateTimeField(null=True, editable=False)
    permissions = models.JSONField(default=every_permission)
    networks = models.JSONField(
        default=list, blank=True, help_text="CIDR ranges that may call; empty allows any address."
    )
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True, editable=False)
    last_used_at = models.DateTimeField(null=True, blank=True, editable=False)

    objects = ApiKeyQuerySet.as_manager()

    class Meta:
        verbose_name = "access key"
        ordering = ["partner", "-created_at", "pk"]
        constraints = [
            models.CheckConstraint(
                name="apikey_previous_secret_has_an_end",
                condition=Q(previous_digest="") ^ Q(previous_expires_at__isnull=False),
            ),
            models.CheckConstraint(
                name="apikey_secrets_differ", condition=~Q(secret_digest=F("previous_digest"))
            ),
        ]

    def __str__(self) -> str:
        return self.access_key

    def allows(self, permission: Permission) -> bool:
        """Say whether the key carries the permission."""
        return permission.value in self.permissions

    def admits(self, address: str) -> bool:
        """Say whether a call may come from this IP address."""
        if not self.networks:
            return True
        try:
            caller = ipaddress.ip_address(address)
        except ValueError:
            return False
        return any(caller in ipaddress.ip_network(network) for network in self.networks)
