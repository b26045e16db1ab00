"""Where notifications lead: the page in the back office that a notification is about."""

from django.urls import reverse

from onboarding.models import Notification


def address_of(notification: Notification) -> str:
    """Return the URL of the case, the customer's case or the hit that a notification is about."""
    if notification.hit_id:
        return reverse("admin:onboarding_screeninghit_change", args=[notification.hit_id])
    if pk := notification.customer_case_id:
        return reverse("admin:onboarding_customercase_change", args=[pk])
    case = reverse("admin:onboarding_application_change", args=[notification.application_id])
    return f"{case}#{notification.part}" if notification.part else case
