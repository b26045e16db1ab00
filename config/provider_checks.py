"""System check of verification providers: a sentence for each fault of their settings."""

from typing import Any

from django.core.checks import CheckMessage, Error, Warning, register  # noqa: A004 - Django's

from foundation.verification import registry


@register()
def verification_providers_are_usable(**_options: Any) -> list[CheckMessage]:
    """Report providers that cannot be asked, and providers that are never asked."""
    return [
        Error(fault.text, hint=fault.hint, id="vestibule.E100")
        if fault.is_fatal
        else Warning(fault.text, hint=fault.hint, id="vestibule.W100")
        for fault in registry.list_faults()
    ]
