"""The app configuration of onboarding."""

from django.apps import AppConfig


class OnboardingConfig(AppConfig):
    name = "onboarding"

    def ready(self) -> None:
        """Register the sources of anchors."""
        from onboarding.queries import anchored_histories  # noqa: F401 - registers its source
