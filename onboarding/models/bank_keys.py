"""Access keys of the bank's own systems."""

from django.db import models

from onboarding.models.access_keys import AccessKey

ANY_KIND = "*"


class BankKey(AccessKey):
    """An access key of a system of the bank, for the record feed; never a partner's.

    `permissions` are scopes such as `cards:write`, `transactions:read` and `*:read`.
    """

    prefix = "bk"
    permissions = models.JSONField(default=list)

    class Meta(AccessKey.Meta):
        verbose_name = "bank key"
        ordering = ["-created_at", "pk"]

    def allows(self, action: str, kind: str) -> bool:
        """Return whether the key may `read` or `write` records of the kind."""
        return not {f"{kind}:{action}", f"{ANY_KIND}:{action}"}.isdisjoint(self.permissions)
