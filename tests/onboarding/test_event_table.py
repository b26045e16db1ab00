"""The table of events in docs/webhooks.md."""

from django.conf import settings

from onboarding import event_table
from onboarding.event_types import PUBLISHED

PAGE = settings.BASE_DIR / "docs" / "webhooks.md"


def test_the_page_has_the_table_of_the_code():
    assert event_table.replace_table(PAGE.read_text()) == PAGE.read_text(), "Run: make docs"


def test_a_row_has_the_type_its_actions_and_its_details():
    rows = event_table.table().splitlines()

    assert (
        "| `identity_verification.requested` | `idVerificationStart`, for another owner "
        "`idVerificationAdditionalUbos` | `uboId` |"
    ) in rows
    assert (
        "| `document.received` | `firstUploadDocs` when it completes the list | `documentId`, "
        "`llcFileType`, `uboId` |"
    ) in rows
    assert "| `application.created` | | |" in rows


def test_a_second_action_is_documented():
    for event_type in PUBLISHED:
        spec = event_type.spec
        assert ("{}" in spec.documentation) == bool(spec.other_action), event_type
