"""The standard reasons for documents: enough for each kind, and short enough to be kept."""

import pytest

from onboarding.choices import LlcFileType
from onboarding.document_reasons import WANTED_AGAIN, list_rejections, wanted_for
from onboarding.services.documents.case_documents import LONGEST_REASON


@pytest.mark.parametrize("kind", ["", *LlcFileType])
def test_each_kind_has_reasons_that_can_be_stored(kind):
    reasons = list_rejections(kind, "Grace Hopper")

    assert "The name on it is not Grace Hopper." in reasons
    assert len(reasons) == len(set(reasons))
    assert all(0 < len(reason) <= LONGEST_REASON for reason in reasons)


def test_reasons_are_those_of_the_kind():
    assert "It has expired. Please send one that is valid." in list_rejections("PASSPORT", "")
    assert "The name on it is different." in list_rejections("PASSPORT", "")
    assert not any("expired" in one for one in list_rejections("UTILITY_BILL", ""))


@pytest.mark.parametrize("kind", LlcFileType)
def test_each_kind_has_a_usual_reason_to_be_asked_for(kind):
    assert wanted_for(kind) not in WANTED_AGAIN
