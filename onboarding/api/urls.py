"""The paths of the Lead API; a trailing slash is taken off before they are looked up."""

from django.urls import path
from drf_spectacular.views import SpectacularSwaggerSplitView

from onboarding.api import meta, openapi, views
from onboarding.api.partner_view import OneFormat

docs = SpectacularSwaggerSplitView.as_view(
    url_name="lead_api:openapi", content_negotiation_class=OneFormat
)
app_name = "lead_api"
urlpatterns = [
    path("lead", views.LeadsView.as_view(), name="leads"),
    path("lead/<str:customer_id>", views.LeadView.as_view(), name="lead"),
    path("lead/<str:customer_id>/upload", views.LeadUploadView.as_view(), name="upload"),
    path("lead/<str:customer_id>/session", views.LeadSessionView.as_view(), name="session"),
    path("meta/errors", meta.ErrorsView.as_view(), name="errors"),
    path("meta/lifecycle", meta.LifecycleView.as_view(), name="lifecycle"),
    path("meta/document-rules", meta.DocumentRulesView.as_view(), name="document_rules"),
    path("openapi.json", openapi.DocumentView.as_view(), name="openapi"),
    path("docs", docs, name="docs"),
]
