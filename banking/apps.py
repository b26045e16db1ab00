"""The bank's records as an app, and the back office that every app's screens join."""

from django.apps import AppConfig
from django.contrib.admin.apps import AdminConfig


class BankingConfig(AppConfig):
    name = "banking"

    def ready(self) -> None:
        """Register the anchors' sources, the kinds of feed records and the log of list exports."""
        from banking.queries import (  # noqa: F401 - they register their sources
            anchored_ledger,
            anchored_staff_events,
        )
        from banking.services.list_exports import record_export
        from foundation.backoffice import list_exports
        from foundation.modules import import_modules

        list_exports.recorders.append(record_export)
        import_modules("banking.feed.kinds")


class BackOfficeConfig(AdminConfig):
    default_site = "foundation.backoffice.site.BackOffice"
