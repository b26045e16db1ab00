"""Onboarding as an app."""

from django.apps import AppConfig


class OnboardingConfig(AppConfig):
    name = "onboarding"
