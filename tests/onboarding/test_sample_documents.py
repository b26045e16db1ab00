import pytest

from foundation.inspection.file_types import detect_type, quarantine_reason
from onboarding import sample_documents
from onboarding.choices import LlcFileType


@pytest.mark.parametrize("kind", LlcFileType)
def test_a_sample_is_a_small_file_that_is_what_it_says(kind):
    content, content_type, file_name = sample_documents.draw(kind)

    detected = detect_type(content)
    assert detected == content_type
    assert not quarantine_reason(content_type, file_name, detected)
    assert 500 < len(content) < 8_000


@pytest.mark.parametrize("kind", [LlcFileType.PASSPORT, LlcFileType.IRS_EIN_LETTER])
def test_other_marks_make_another_sample(kind):
    first, second = (sample_documents.draw(kind, marks=[mark])[0] for mark in ("one", "two"))

    assert first != second
    assert sample_documents.draw(kind, marks=["one"])[0] == first
