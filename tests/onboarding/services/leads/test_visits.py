"""The steps that an applicant has seen."""

from onboarding.models import Application
from onboarding.services.leads.visits import record_visit


def test_a_step_is_remembered_once(make_application, django_assert_num_queries):
    application = make_application()

    record_visit(application, "you")
    record_visit(application, "owners")
    with django_assert_num_queries(0):
        record_visit(application, "you")

    assert Application.objects.get().visited_steps == ["you", "owners"]
