"""The app configuration of onboarding."""

from django.apps import AppConfig


class OnboardingConfig(AppConfig):
    name = "onboarding"

    def ready(self) -> None:
        """Register the sources of anchors and the receivers of signals."""
        from onboarding.queries import anchored_histories  # noqa: F401 - registers its source
        from onboarding.services.events import payments  # noqa: F401 - registers its receiver
