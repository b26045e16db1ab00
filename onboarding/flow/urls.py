"""The paths of the applicant's journey."""

from django.urls import path

from onboarding.flow import views

app_name = "flow"
urlpatterns = [path("apply/<str:link>", views.start, name="start")]
