"""The bank's records as an app, and the back office that every app's screens join."""

from django.apps import AppConfig
from django.contrib.admin.apps import AdminConfig


class BankingConfig(AppConfig):
    name = "banking"

    def ready(self) -> None:
        """Register the sources of anchors."""
        from banking.queries import (  # noqa: F401 - they register their sources
            anchored_ledger,
            anchored_staff_events,
        )


class BackOfficeConfig(AdminConfig):
    default_site = "foundation.backoffice.site.BackOffice"
