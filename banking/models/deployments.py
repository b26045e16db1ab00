"""The deployment that a database belongs to."""

from uuid import uuid4

from django.db import models
from django.db.models import Q

from foundation.database.constraints import check
from foundation.privacy.fields import EncryptedField

ONLY = 1


class Deployment(models.Model):
    """The deployment of this database, in its only row.

    `external_id` also lies in the document store. `canary` decrypts only with the key it was
    encrypted with. `fingerprints` has an HMAC of each secret, by the setting's name; of `PII_KEYS`
    and `PII_INDEX_KEYS` an HMAC of each key that the database needs, by the key's id.
    `database_identity` tells the database from a restored copy of it.
    """

    id = models.PositiveSmallIntegerField(primary_key=True, default=ONLY, editable=False)
    external_id = models.UUIDField(default=uuid4, editable=False)
    canary = EncryptedField(bound_to=["id"])  # `adopt_store` changes the external id
    fingerprints = models.JSONField()
    database_identity = models.CharField(max_length=64, blank=True)
    recorded_at = models.DateTimeField()

    class Meta:
        constraints = [check("deployment_only_one", Q(id=ONLY))]

    def __str__(self) -> str:
        return f"deployment {self.external_id}"
