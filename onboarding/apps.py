"""The app configuration of onboarding."""

from django.apps import AppConfig


class OnboardingConfig(AppConfig):
    name = "onboarding"
    back_office_place = 0  # staff work in it all day

    def ready(self) -> None:
        """Register event histories to anchor, signal receivers and the check of feed senders."""
        from banking.choices import FeedSource
        from banking.feed import waiting
        from onboarding.queries import anchored_histories  # noqa: F401 - registers its source
        from onboarding.services.events import payments  # noqa: F401 - registers its receiver
        from onboarding.services.partners import api_keys
        from onboarding.services.reviews import leaving  # noqa: F401 - registers its receiver

        waiting.may_write[FeedSource.API] = api_keys.may_write
