import pytest
from django.core.exceptions import ValidationError
from django.core.files.storage import storages

from onboarding.models import Partner
from onboarding.services.partners import appearance
from onboarding.services.partners.appearance import Appearance
from tests.factories import PDF, PNG

JPEG = b"\xff\xd8\xff\xe0\0\x10JFIF\0" + b"\0" * 64
WEBP = b"RIFF\x40\0\0\0WEBPVP8 " + b"\0" * 64
SVG = b'<svg xmlns="http://www.w3.org/2000/svg"/>'
WHOLE = Appearance(
    display_name="Acme",
    brand_color="#0f5b6e",
    font="SERIF",
    corner_radius=4,
    hides_header=True,
    support_email="help@acme.example.com",
    return_url="https://app.acme.example.com/done?from=bank",
    embed_origins=("https://app.acme.example.com", "http://localhost:9000"),
)


def faults_of(**values):
    with pytest.raises(ValidationError) as refusal:
        Appearance(**values).normalized()
    return refusal.value.message_dict


def test_a_partner_appears_as_was_said(make_partner):
    partner = make_partner()

    changed = appearance.dress(partner, WHOLE)

    partner.refresh_from_db()
    assert Appearance.of(partner) == WHOLE
    assert changed == [
        "display_name",
        "brand_color",
        "font",
        "corner_radius",
        "hides_header",
        "support_email",
        "return_url",
        "embed_origins",
    ]
    assert appearance.dress(partner, WHOLE) == []


def test_everything_may_be_empty(make_partner):
    partner = make_partner()
    appearance.dress(partner, WHOLE)

    appearance.dress(partner, Appearance())

    partner.refresh_from_db()
    assert Appearance.of(partner) == Appearance()
    assert (partner.shown_name, partner.theme.version) == (partner.name, "")


def test_values_are_brought_into_their_normal_form():
    normal = Appearance(
        display_name="  Acme ",
        brand_color="#0F5B6E ",
        support_email=" help@acme.example.com ",
        return_url="HTTPS://App.Acme.Example.com/Done",
        embed_origins=("HTTPS://App.example.com:443", "https://app.example.com", "http://LOCALHOST:080"),
    ).normalized()  # fmt: skip

    assert normal == Appearance(
        display_name="Acme",
        brand_color="#0f5b6e",
        support_email="help@acme.example.com",
        return_url="https://app.acme.example.com/Done",
        embed_origins=("https://app.example.com", "http://localhost"),
    )


def test_a_colour_on_which_white_cannot_be_read_is_refused_with_its_ratio():
    faults = faults_of(brand_color="#ffcc00")

    assert "a contrast of 1.51 to 1. It must be at least 4.5 to 1" in faults["brand_color"][0]
    assert Appearance(brand_color="#767676").normalized().brand_color == "#767676"
    assert "4.47 to 1" in faults_of(brand_color="#777777")["brand_color"][0]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("brand_color", "0f5b6e"),
        ("brand_color", "#0f5"),
        ("brand_color", "teal"),
        ("brand_color", "#0f5b6e}*{"),
        ("font", "Comic Sans MS"),
        ("corner_radius", 25),
        ("corner_radius", -1),
        ("display_name", "x" * 101),
        ("display_name", "Acme\u202e"),
        ("support_email", "help"),
        ("return_url", "http://app.example.com/"),
        ("return_url", "javascript:alert(1)"),
        ("return_url", "/done"),
        ("return_url", "http://localhost@example.com/"),
        ("return_url", "http://localhost.example.com/"),
        ("return_url", "http://127.0.0.1/a b"),
        ("return_url", "https://user@example.com/"),
        ("return_url", "https://example.com/" + "x" * 200),
    ],
)
def test_what_no_page_can_show_is_refused(name, value):
    assert list(faults_of(**{name: value})) == [name]


@pytest.mark.parametrize(
    "origin",
    [
        "https://app.example.com/",
        "https://app.example.com/pay",
        "https://app.example.com?",
        "https://app.example.com#x",
        "https://*.example.com",
        "https://app.example.com:*",
        "https://app.example.com:0",
        "https://app.example.com:65536",
        "https://app_1.example.com",
        "https://app.example.com.",
        "https://[2001:db8::1]",
        "https://user@example.com",
        "https://app.example.com https://evil.example.com",
        "https://app.example.com;script-src",
        "http://app.example.com",
        "http://localhost:9000/",
        "app.example.com",
        "null",
        "*",
        "",
    ],
)
def test_an_origin_is_scheme_host_and_port_exactly(origin):
    assert list(faults_of(embed_origins=(origin,))) == ["embed_origins"]


@pytest.mark.parametrize("address", ["http://localhost:9000", "http://127.0.0.1"])
def test_loopback_without_tls_is_for_the_sandbox(settings, address):
    fine = Appearance(return_url=address, embed_origins=(address,))
    assert fine.normalized() == fine

    settings.IS_SANDBOX = False

    assert set(faults_of(return_url=address, embed_origins=(address,))) == {
        "return_url",
        "embed_origins",
    }


def test_origins_are_counted():
    many = tuple(f"https://app{number}.example.com" for number in range(21))

    assert "at most 20" in faults_of(embed_origins=many)["embed_origins"][0]


def test_an_origin_is_admitted_once_beside_the_others(make_partner):
    partner = make_partner(embed_origins=["https://app.example.com"])

    assert appearance.admit_origins(partner, ["http://localhost:9000"]) == ["embed_origins"]
    partner.refresh_from_db()
    assert appearance.admit_origins(partner, ["http://localhost:9000"]) == []

    assert partner.embed_origins == ["https://app.example.com", "http://localhost:9000"]


def test_an_admitted_origin_undoes_no_change_that_was_saved_meanwhile(make_partner):
    partner = make_partner()
    Partner.objects.update(brand_color="#0f5b6e", embed_origins=["https://app.example.com"])

    changed = appearance.admit_origins(partner, ["http://localhost:9000"])

    assert changed == ["embed_origins"]
    partner.refresh_from_db()
    assert partner.brand_color == "#0f5b6e"
    assert partner.embed_origins == ["https://app.example.com", "http://localhost:9000"]


def test_of_origins_that_are_admitted_at_once_none_is_lost(in_threads, make_partner):
    partner = make_partner()
    origins = [f"https://app{number}.example.com" for number in range(4)]

    changed = in_threads(lambda origin: appearance.admit_origins(partner, [origin]), origins)

    assert changed == [["embed_origins"]] * 4
    partner.refresh_from_db()
    assert sorted(partner.embed_origins) == origins


@pytest.mark.parametrize(("content", "extension"), [(PNG, "png"), (JPEG, "jpg"), (WEBP, "webp")])
def test_a_logo_is_stored_under_its_content(make_partner, content, extension):
    partner = make_partner()

    appearance.set_logo(partner, content)

    partner.refresh_from_db()
    assert partner.logo.name == f"partners/{partner.external_id}/{partner.logo_version}.{extension}"
    assert partner.logo.read() == content


@pytest.mark.parametrize("content", [SVG, PDF, b"GIF89a" + b"\0" * 32, b"", b"hello"])
def test_what_is_no_picture_of_points_is_no_logo(make_partner, content):
    with pytest.raises(ValidationError, match="a PNG, a JPEG or a WebP"):
        appearance.set_logo(make_partner(), content)


def test_a_logo_has_at_most_256_kib(make_partner):
    partner = make_partner()
    appearance.set_logo(partner, PNG.ljust(256 * 1024, b"\0"))

    with pytest.raises(ValidationError, match="at most 256 KiB"):
        appearance.set_logo(partner, PNG.ljust(256 * 1024 + 1, b"\0"))


def test_a_logo_that_is_replaced_or_removed_is_deleted(
    make_partner, django_capture_on_commit_callbacks
):
    partner, storage = make_partner(), storages["documents"]
    appearance.set_logo(partner, PNG)
    partner.refresh_from_db()
    first = partner.logo.name

    with django_capture_on_commit_callbacks(execute=True):
        appearance.set_logo(partner, JPEG)
    partner.refresh_from_db()
    second = partner.logo.name
    assert (storage.exists(first), storage.exists(second)) == (False, True)

    with django_capture_on_commit_callbacks(execute=True):
        appearance.remove_logo(partner)
    partner.refresh_from_db()
    assert (partner.logo.name, partner.logo_version) == ("", "")
    assert not storage.exists(second)


def test_the_same_logo_again_changes_nothing(make_partner):
    partner = make_partner()
    appearance.set_logo(partner, PNG)
    partner.refresh_from_db()
    name = partner.logo.name

    appearance.set_logo(partner, PNG)

    partner.refresh_from_db()
    assert partner.logo.name == name
    assert storages["documents"].exists(name)
