"""The app configuration of onboarding."""

from django.apps import AppConfig


class OnboardingConfig(AppConfig):
    name = "onboarding"
