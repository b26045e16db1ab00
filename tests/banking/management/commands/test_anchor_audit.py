"""manage.py anchor_audit."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command


def run(*arguments):
    out = StringIO()
    call_command("anchor_audit", *arguments, stdout=out)
    return out.getvalue()


def test_the_anchor_is_named(anchor_folder, db):
    assert run().startswith("anchor 1: 0 records, root e3b0c44298fc1c14")
    assert (anchor_folder / "000001.json").is_file()


def test_a_restart_has_its_reason(anchor_folder, db):
    run()
    run("--restart", "backup of 2 March")

    assert "backup of 2 March" in (anchor_folder / "000002.json").read_text()


def test_what_failed_beside_the_anchor_is_a_fault(settings, anchor_folder, db):
    settings.ANCHORS = [*settings.ANCHORS, "rfc3161:http://127.0.0.1:9/"]

    with pytest.raises(CommandError, match="the anchor was made, but http://127"):
        run()


def test_without_anchors_nothing_is_made(anchor_folder, settings, db):
    settings.ANCHORS = []

    with pytest.raises(CommandError, match="ANCHORS names neither"):
        run()
