"""Steps: which are left before the submission."""

from onboarding.queries.requirements import Kind, Requirement
from onboarding.queries.steps import Step, list_unfinished

NAME = Requirement("X", Kind.FIELD, "/firstName", "")
EIN = Requirement("X", Kind.FIELD, "/ein", "")
PASSPORT = Requirement("X", Kind.DOCUMENT, "/documentDataList", "")


def test_steps_with_missing_values_are_left_and_always_the_signature():
    assert list_unfinished([]) == [Step.REVIEW]
    assert list_unfinished([PASSPORT, EIN, NAME]) == [
        Step.YOU,
        Step.BUSINESS,
        Step.DOCUMENTS,
        Step.REVIEW,
    ]
