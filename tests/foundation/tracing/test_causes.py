from banking.models import Job
from foundation.tracing.causes import CausedModel
from onboarding.models import Mail, Publication


def test_rows_of_due_work_have_the_cause_that_a_release_before_did_not_write():
    for model in (Job, Mail, Publication):
        assert issubclass(model, CausedModel)
        for name in ("request_id", "traceparent"):
            assert model._meta.get_field(name).null
