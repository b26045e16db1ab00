"""The bank's records as an app, and the back office that every app's screens join."""

from django.apps import AppConfig
from django.contrib.admin.apps import AdminConfig


class BankingConfig(AppConfig):
    name = "banking"

    def ready(self) -> None:
        """Register the sources of anchors and the kinds of records of the feed."""
        from banking.queries import (  # noqa: F401 - they register their sources
            anchored_ledger,
            anchored_staff_events,
        )
        from foundation.modules import import_modules

        import_modules("banking.feed.kinds")


class BackOfficeConfig(AdminConfig):
    default_site = "foundation.backoffice.site.BackOffice"
