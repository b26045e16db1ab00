"""App config: registers the project's commands and deployment checks."""

import gc

from django.apps import AppConfig
from django.conf import settings


class ConfigConfig(AppConfig):
    name = "config"

    def ready(self) -> None:
        from config import celery, checks, deploy_pooler, provider_checks  # noqa: F401 - they register themselves
        from foundation.privacy import encryption

        if settings.TRACING:
            from config import tracing

            tracing.switch_on()
        encryption.primary_key_id()  # refuse to start with unusable keys
        encryption.index_key_ids()
        gc.enable()  # `manage` in config.command_line disables the collector
