import pytest
from django.contrib.admin.models import LogEntry
from django.core.files.uploadedfile import SimpleUploadedFile

from banking.models import StaffChange
from banking.services import staff_changes
from onboarding.models import Partner
from onboarding.services.partners.appearance import LOGO_MAX_BYTES
from tests.factories import NOON, PDF, PNG
from tests.staff import confirm_change

FORM = {
    "display_name": "Acme",
    "brand_color": "#0F5B6E",
    "font": "SERIF",
    "corner_radius": "4",
    "hides_header": "on",
    "support_email": "help@acme.example.com",
    "embed_origins": "https://app.acme.example.com\r\nhttp://localhost:9000",
    "return_url": "https://app.acme.example.com/done",
}


@pytest.fixture
def path(make_partner):
    return f"/admin/onboarding/partner/{make_partner(name='Acme Payroll').pk}/appearance/"


def picture(content=PNG, name="logo.png"):
    return SimpleUploadedFile(name, content, "image/png")


def test_staff_say_how_a_partner_appears(path, chief):
    answer = chief.post(path, {**FORM, "logo": picture()}, follow=True)
    confirm_change()

    partner, page = Partner.objects.get(), answer.content.decode()
    assert (partner.display_name, partner.brand_color) == ("Acme", "#0f5b6e")
    assert (partner.font, partner.corner_radius, partner.hides_header) == ("SERIF", 4, True)
    assert partner.support_email == "help@acme.example.com"
    assert partner.return_url == "https://app.acme.example.com/done"
    assert partner.logo.read() == PNG
    assert "The appearance of Acme Payroll was saved." in page
    assert f'<img src="/connect/v1/logo/{partner.external_id}?v={partner.logo_version}"' in page
    assert '<rect width="28" height="14" rx="3" fill="#0f5b6e"/>' in page


def test_new_destinations_wait_for_a_second_administrator_and_are_removed_at_once(path, chief):
    chief.post(path, FORM)
    change = StaffChange.objects.get()

    partner = Partner.objects.get()
    assert (partner.embed_origins, partner.support_email, partner.return_url) == ([], "", "")
    assert change.summary == [
        "Pages of https://app.acme.example.com can show the application of Acme Payroll.",
        "Pages of http://localhost:9000 can show the application of Acme Payroll.",
        "Applicants of Acme Payroll are told to write to help@acme.example.com.",
        "Applicants of Acme Payroll return to https://app.acme.example.com/done.",
    ]
    with pytest.raises(staff_changes.OwnChange):
        staff_changes.confirm(change, by=change.proposed_by, at=NOON)

    confirm_change()
    shown = chief.get(path).content.decode()
    fewer = {"embed_origins": "http://localhost:9000", "support_email": "", "return_url": ""}
    chief.post(path, {**FORM, **fewer})

    assert "https://app.acme.example.com\nhttp://localhost:9000</textarea>" in shown
    partner = Partner.objects.get()
    assert partner.embed_origins == ["http://localhost:9000"]
    assert (partner.support_email, partner.return_url) == ("", "")
    assert StaffChange.objects.count() == 1


def test_what_changed_is_logged_with_its_new_value(path, chief):
    chief.post(path, FORM)
    chief.post(path, {**FORM, "display_name": "", "logo": picture()})
    chief.post(path, {**FORM, "display_name": ""})

    assert [entry.get_change_message() for entry in LogEntry.objects.order_by("pk")] == [
        "Appearance: display name Acme; brand color #0f5b6e; font SERIF; "
        "corner radius 4; hide the header yes.",
        "Appearance: display name none; new logo.",
    ]


def test_the_form_shows_how_the_partner_appears_now(path, chief):
    chief.post(path, FORM)

    page = chief.get(path).content.decode()

    assert 'value="#0f5b6e"' in page


def test_a_logo_can_be_removed(path, chief):
    chief.post(path, {**FORM, "logo": picture()})

    chief.post(path, {**FORM, "remove_logo": "on"})

    assert not Partner.objects.get().logo
    assert LogEntry.objects.first().get_change_message() == "Appearance: logo removed."


@pytest.mark.parametrize(
    ("wrong", "fault"),
    [
        ({"brand_color": "#ffcc00"}, "a contrast of 1.51 to 1"),
        ({"embed_origins": "https://*.example.com"}, "https://*.example.com is not an origin"),
        ({"embed_origins": "https://app.example.com/"}, "is not an origin"),
        ({"return_url": "javascript:alert(1)"}, "Enter a URL that begins"),
        ({"support_email": "help"}, "valid email address"),
        ({"logo": picture(PDF)}, "a PNG, a JPEG or a WebP"),
        ({"logo": picture(PNG.ljust(LOGO_MAX_BYTES + 1, b"x"))}, "at most 256 KiB"),
    ],
)
def test_a_wrong_form_changes_nothing_and_says_why(path, chief, wrong, fault):
    answer = chief.post(path, {**FORM, **wrong})

    assert fault in answer.content.decode()
    assert "Nothing was saved" in answer.content.decode()
    assert Partner.objects.get().display_name == ""
    assert not LogEntry.objects.exists()


def test_it_needs_the_permission_to_change_partners(path, make_staff):
    viewer, changer = make_staff("view_partner"), make_staff("view_partner", "change_partner")

    assert viewer.get(path).status_code == viewer.post(path, FORM).status_code == 403
    assert Partner.objects.get().display_name == ""
    assert "/appearance/" not in viewer.get(path.replace("appearance", "change")).content.decode()
    assert changer.get(path).status_code == 200
