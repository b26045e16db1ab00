"""The wiring as an app: its commands and its deployment checks."""

from django.apps import AppConfig


class ConfigConfig(AppConfig):
    name = "config"

    def ready(self) -> None:
        from banking import pii
        from config import checks  # noqa: F401 - registers the deployment checks

        pii.primary_key_id()  # no process starts with keys that seal nothing
