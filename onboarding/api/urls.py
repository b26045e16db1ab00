"""URLs of the Lead API. ApiPathMiddleware strips trailing slashes before the lookup."""

from django.urls import path
from drf_spectacular.views import SpectacularSwaggerSplitView

from onboarding.api import (
    changes,
    deliveries,
    events,
    meta,
    openapi,
    reminders,
    sandbox,
    sandbox_appearance,
    signed_records,
    verifications,
    views,
    webhooks,
)
from onboarding.api.partner_view import OneFormat
from onboarding.api.sandbox import in_sandbox

docs = SpectacularSwaggerSplitView.as_view(
    url_name="lead_api:openapi", content_negotiation_class=OneFormat
)
ONE = "webhooks/<str:webhook_id>"
app_name = "lead_api"
urlpatterns = [
    path("lead", views.LeadsView.as_view(), name="leads"),
    path("lead/<str:customer_id>", views.LeadView.as_view(), name="lead"),
    path("lead/<str:customer_id>/upload", views.LeadUploadView.as_view(), name="upload"),
    path("lead/<str:customer_id>/session", views.LeadSessionView.as_view(), name="session"),
    path(
        "lead/<str:customer_id>/signed-record",
        signed_records.SignedRecordView.as_view(),
        name="signed_record",
    ),
    path(
        "lead/<str:customer_id>/verifications",
        verifications.VerificationsView.as_view(),
        name="verifications",
    ),
    path(
        "lead/<str:customer_id>/owners/<str:ubo_id>/session",
        views.OwnerSessionView.as_view(),
        name="owner_session",
    ),
    path("lead/<str:customer_id>/changes", changes.ChangesView.as_view(), name="changes"),
    path(
        "lead/<str:customer_id>/changes/<str:change_id>",
        changes.ChangeView.as_view(),
        name="change",
    ),
    path("lead/<str:customer_id>/reports", changes.ReportView.as_view(), name="reports"),
    path("webhooks", webhooks.WebhooksView.as_view(), name="webhooks"),
    path(ONE, webhooks.WebhookView.as_view(), name="webhook"),
    path(f"{ONE}/rotate-secret", webhooks.RotateSecretView.as_view(), name="rotate_secret"),
    path(f"{ONE}/test", deliveries.TestView.as_view(), name="test"),
    path(f"{ONE}/recover", deliveries.RecoverView.as_view(), name="recover"),
    path(f"{ONE}/deliveries", deliveries.DeliveriesView.as_view(), name="deliveries"),
    path(
        f"{ONE}/deliveries/<str:delivery_id>/redeliver",
        deliveries.RedeliverView.as_view(),
        name="redeliver",
    ),
    path("reminders", reminders.RemindersView.as_view(), name="reminders"),
    path("events", events.EventsView.as_view(), name="events"),
    path("sandbox/appearance", in_sandbox(sandbox_appearance.AppearanceView), name="appearance"),
    path("sandbox/clock", in_sandbox(sandbox.ClockView), name="clock"),
    path("sandbox/clock/<str:move_id>", in_sandbox(sandbox.ClockMoveView), name="clock_move"),
    path(
        "sandbox/<str:customer_id>/<str:activity>",
        in_sandbox(sandbox.ActivityView),
        name="activity",
    ),
    path("meta/errors", meta.ErrorsView.as_view(), name="errors"),
    path("meta/lifecycle", meta.LifecycleView.as_view(), name="lifecycle"),
    path("meta/document-rules", meta.DocumentRulesView.as_view(), name="document_rules"),
    path("openapi.json", openapi.DocumentView.as_view(), name="openapi"),
    path("docs", docs, name="docs"),
]
