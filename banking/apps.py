"""The bank's records as an app, and the back office that every app's screens join."""

from django.apps import AppConfig
from django.contrib.admin.apps import AdminConfig


class BankingConfig(AppConfig):
    name = "banking"


class BackOfficeConfig(AdminConfig):
    default_site = "foundation.backoffice.site.BackOffice"
