"""URLs of the record feed. ApiPathMiddleware strips trailing slashes before the lookup."""

from django.urls import path

from onboarding.api.bank import batches, changes, records

app_name = "bank_api"
urlpatterns = [
    path("batches", batches.BatchesView.as_view(), name="batches"),
    path("batches/<str:batch_id>", batches.BatchView.as_view(), name="batch"),
    path("batches/<str:batch_id>/results", batches.ResultsView.as_view(), name="results"),
    path("changes", changes.ChangesView.as_view(), name="changes"),
    path("kinds", changes.KindsView.as_view(), name="kinds"),
    path("<str:kind>:batch", batches.SendBatchView.as_view(), name="send_batch"),
    path("<str:kind>/<str:external_id>", records.RecordView.as_view(), name="record"),
]
