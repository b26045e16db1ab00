"""The wiring as an app: its commands and its deployment checks."""

from django.apps import AppConfig


class ConfigConfig(AppConfig):
    name = "config"

    def ready(self) -> None:
        from config import celery, checks  # noqa: F401 - tasks find their app, checks are registered
        from foundation.privacy import encryption

        encryption.primary_key_id()  # no process starts with keys that seal nothing
