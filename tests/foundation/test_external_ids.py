"""Whatever comes in as an id finds a row or none; it never breaks."""

from uuid import UUID

import pytest

from banking.models import Business
from foundation.external_ids import NOBODY, parse

ID = UUID("0190163d-8694-739b-aea5-966c26f8ad91")


@pytest.mark.parametrize("text", [ID, str(ID), ID.hex, str(ID).upper()])
def test_an_id_is_read(text):
    assert parse(text) == ID


@pytest.mark.parametrize("text", ["", "1", "None", str(ID)[:-1], "\0" * 36, "é" * 32, "-" * 5000])
def test_another_text_is_nobodys(text):
    assert parse(text) == NOBODY


def test_nobody_is_found_by_another_text(make_business):
    make_business()

    assert not Business.objects.filter(external_id=parse("1")).exists()
