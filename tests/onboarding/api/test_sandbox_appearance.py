"""The look of the application and its origins, changed by the partner in the sandbox."""

import pytest

from onboarding.models import Partner
from tests.onboarding.conftest import codes

PATH = "sandbox/appearance"
LOOK = {
    "displayName": "Acme Books",
    "brandColor": "#0f5b6e",
    "font": "SERIF",
    "cornerRadius": 4,
    "hidesHeader": True,
    "supportEmail": "help@acme.example.com",
    "returnUrl": "https://app.acme.example.com/done",
    "embedOrigins": ["https://app.acme.example.com", "http://localhost:9000"],
}


def test_a_partner_changes_its_look_and_origins(api):
    answer = api.post(PATH, LOOK)

    assert (answer.status_code, answer.json()) == (200, {**LOOK, "warnings": []})
    assert api.get(PATH).json() == LOOK
    assert Partner.objects.get(display_name="Acme Books").embed_origins == LOOK["embedOrigins"]


def test_what_is_absent_stays_and_what_is_null_goes(api):
    api.post(PATH, LOOK)

    changed = api.post(PATH, {"font": None, "cornerRadius": None, "embedOrigins": [], "x": 1})

    emptied = {"font": "", "cornerRadius": None, "embedOrigins": []}
    assert api.get(PATH).json() == {**LOOK, **emptied}
    assert [warning["field"] for warning in changed.json()["warnings"]] == ["/x"]


@pytest.mark.parametrize(
    ("sent", "code", "pointer"),
    [
        ({"brandColor": "#ffcc00"}, "APPEARANCE_REJECTED", "/brandColor"),
        ({"embedOrigins": ["https://*.example.com"]}, "APPEARANCE_REJECTED", "/embedOrigins"),
        ({"returnUrl": "javascript:alert(1)"}, "APPEARANCE_REJECTED", "/returnUrl"),
        ({"font": "Comic Sans MS"}, "VALUE_NOT_ALLOWED", "/font"),
        ({"cornerRadius": 25}, "VALUE_OUT_OF_RANGE", "/cornerRadius"),
        ({"hidesHeader": "yes"}, "INVALID_TYPE", "/hidesHeader"),
    ],
)
def test_what_no_page_can_show_is_refused_at_its_field(api, sent, code, pointer):
    answer = api.post(PATH, {**LOOK, **sent})

    assert answer.status_code == 400
    assert codes(answer) == {pointer: code}
    assert api.get(PATH).json()["displayName"] == ""


def test_in_production_there_is_no_such_path(api, settings):
    settings.IS_SANDBOX = False

    assert api.get(PATH).status_code == 404
    assert api.post(PATH, LOOK).status_code == 404


def test_no_partner_changes_another(api, make_partner):
    other = make_partner(display_name="Other")

    api.post(PATH, LOOK)

    other.refresh_from_db()
    assert (other.display_name, other.embed_origins) == ("Other", [])
