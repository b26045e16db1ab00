"""The rules between the values of a lead."""

import pytest

from onboarding.choices import ApplicationStatus as Status
from onboarding.errors import Invalid

CLOSED = [Status.DENIED, Status.EXPIRED, Status.WITHDRAWN]
SUBMITTED = [Status.SUBMITTED, Status.ID_VERIFICATION, Status.DOCUMENTS_REQUIRED, Status.IN_REVIEW]
APPROVED = [Status.APPROVED, Status.APPROVED_TEMPORARY]


def test_answers_are_limited(create):
    answers = [{"question": str(number), "answer": "a"} for number in range(101)]

    with pytest.raises(Invalid) as refused:
        create(edd_answers=answers)

    assert [fault.pointer for fault in refused.value.faults] == ["/eddQuestionData"]
