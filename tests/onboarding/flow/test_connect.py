"""The script that partners put into their pages."""

import json
import re

import pytest
from django.conf import settings

from onboarding.flow.connect import NEWEST, VERSIONS, integrity
from onboarding.queries.steps import Step

PUBLISHED = {  # a version never changes: browsers would refuse it
    "1.0.0": "sha384-AV6bN7XBJcxtEO23y7wKBy1h4cVF//rZY0Ijo4lQqxTyKa4xUpZGuTI1ctZRagMf",
    "1.1.0": "sha384-GgXJv8P7g7SIe7GPDpHjDdABwv8OyA7DLyLilGpCvtLBX11pAV3t1egDf/Weeo6P",
    "1.2.0": "sha384-QdzY3N6MuRKbpTn89dwignrkW6p73jv8DXKkFDonVwW4laondmzJ4AM8DSjHK63D",
}
DOCUMENT = settings.BASE_DIR / "docs" / "embedding.md"
PACKAGE = settings.BASE_DIR / "packages" / "connect"
MAX_BYTES = 6 * 1024


def test_every_version_is_as_it_was_published():
    assert {name: integrity(name) for name in VERSIONS} == PUBLISHED


def test_the_document_names_the_newest_version_with_its_hash():
    text = DOCUMENT.read_text()

    assert set(re.findall(r"connect-(\d+\.\d+\.\d+)\.js", text)) == {NEWEST}
    assert set(re.findall(r"sha384-[\w+/=]{64}", text)) == {PUBLISHED[NEWEST]}


def test_a_version_names_itself():
    for version, path in VERSIONS.items():
        script = path.read_text()
        assert script.startswith(f"/*! Vestibule Connect {version}, MIT licence.")
        assert f'VERSION = "{version}"' in script


def test_the_script_is_small_and_evaluates_nothing():
    script = VERSIONS[NEWEST].read_bytes()

    assert len(script) < MAX_BYTES
    assert not re.search(rb"eval|Function\(|innerHTML|document\.write|cookie|Storage", script)


def test_the_npm_package_loads_the_newest_version():
    loader = (PACKAGE / "connect.js").read_text()

    assert json.loads((PACKAGE / "package.json").read_text())["version"] == NEWEST
    assert f'"connect/v1/connect-{NEWEST}.js"' in loader
    assert f'"{integrity(NEWEST)}"' in loader


def test_the_types_of_the_npm_package_name_each_event_and_step():
    types = (PACKAGE / "connect.d.ts").read_text()
    script = VERSIONS[NEWEST].read_text()
    events = re.findall(r"^    (\w+): \[", script, re.MULTILINE)

    assert re.findall(r'\{ type: "(\w+)"', types) == events
    assert set(re.findall(r'"(\w+)"', types.partition("type Step =")[2].partition(";")[0])) == {
        *Step,
        "status",
    }


@pytest.mark.parametrize(
    ("path", "cache"),
    [
        ("connect.js", "public, max-age=300"),
        (f"connect-{NEWEST}.js", "public, max-age=31536000, immutable"),
    ],
)
def test_any_page_may_load_the_script_and_check_it(client, path, cache):
    answer = client.get(f"/connect/v1/{path}")

    assert answer.content == VERSIONS[NEWEST].read_bytes()
    assert answer["Content-Type"] == "text/javascript; charset=utf-8"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Access-Control-Allow-Origin"] == "*"
    assert answer["Cross-Origin-Resource-Policy"] == "cross-origin"
    assert answer["Cache-Control"] == cache
    assert "Vary" not in answer
    assert not answer.cookies


@pytest.mark.parametrize("version", ["0.0.1", "..%2F..%2Fconnect", "1.0.0.js/../x"])
def test_a_version_that_never_was_is_nowhere(client, version):
    assert client.get(f"/connect/v1/connect-{version}.js").status_code == 404


def test_what_each_message_may_carry_is_said_once_and_is_nothing_personal():
    script = VERSIONS[NEWEST].read_text()
    table = re.search(r"DETAILS = \{.*?\n(.*?)\n  \};", script, re.DOTALL)[1]
    details = dict(re.findall(r"(\w+): \[(.*?)\]", table))

    assert details == {
        "ready": "",
        "resize": '"height"',
        "step_changed": '"step"',
        "submitted": '"status"',
        "status_changed": '"status"',
        "documents_required": "",
        "token_expired": "",
        "exit": "",
        "error": '"code"',
    }


def test_the_frame_sends_what_the_script_lets_through():
    frame = (settings.BASE_DIR / "onboarding/static/onboarding/frame.js").read_text()
    messages = re.findall(r'tell\("(\w+)"(?:, \{ (\w+)(?:: [\w."]+)?(?:\s*:[^}]*)? \})?\)', frame)
    script = VERSIONS[NEWEST].read_text()

    assert messages
    for kind, key in messages:
        assert re.search(rf"{kind}: \[{f'.{key}.' if key else ''}\]", script), (kind, key)
    assert {kind for kind, _key in messages} | {"ready"} == set(
        re.findall(r"^    (\w+): \[", script, re.MULTILINE)
    )
