"""The documents speak of what is there."""

import re

import pytest
from django.conf import settings

GAPS = settings.BASE_DIR / "docs" / "spec-gaps.md"
PIN = re.compile(r"`([\w/]*test_\w+\.py)(?:::(\w+))?`")
PINS = sorted(set(PIN.findall(GAPS.read_text())))


@pytest.mark.parametrize(("path", "name"), PINS)
def test_each_pin_of_the_gaps_is_a_test(path, name):
    root = (
        settings.BASE_DIR if path.startswith("tests/") else settings.BASE_DIR / "tests/onboarding"
    )

    text = (root / path).read_text()

    assert not name or f"def {name}(" in text
