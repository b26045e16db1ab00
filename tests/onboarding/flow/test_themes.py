"""What dresses the pages, for everybody."""

import uuid

import pytest
from django.core.files.base import ContentFile

from onboarding.models import Partner
from onboarding.services.partners import appearance
from tests.factories import PNG

KEPT = "public, max-age=31536000, immutable"
JPEG = b"\xff\xd8\xff\xe0\0\x10JFIF\0" + b"\0" * 64


@pytest.fixture
def partner(make_partner):
    partner = make_partner(brand_color="#0f5b6e", display_name="Acme")
    appearance.set_logo(partner, PNG)
    return Partner.objects.get()


def test_the_colour_is_a_style_sheet_that_may_be_kept(client, partner):
    path = f"/connect/v1/theme/{partner.external_id}.css"

    versioned = client.get(f"{path}?v={partner.theme.version}")
    plain, stale = client.get(path), client.get(f"{path}?v=0")

    assert b"--brand: light-dark(#0f5b6e, #337484);" in versioned.content
    assert versioned["Content-Type"] == "text/css; charset=utf-8"
    assert versioned["X-Content-Type-Options"] == "nosniff"
    assert versioned["Cache-Control"] == KEPT
    assert plain["Cache-Control"] == stale["Cache-Control"] == "public, max-age=300"
    assert "Vary" not in versioned
    assert not versioned.cookies


@pytest.mark.parametrize(("content", "mime"), [(PNG, "image/png"), (JPEG, "image/jpeg")])
def test_the_logo_is_an_image_that_may_be_kept(client, partner, content, mime):
    appearance.set_logo(partner, content)
    partner.refresh_from_db()
    path = f"/connect/v1/logo/{partner.external_id}"

    versioned = client.get(f"{path}?v={partner.logo_version}")

    assert b"".join(versioned) == content
    assert versioned["Content-Type"] == mime
    assert versioned["X-Content-Type-Options"] == "nosniff"
    assert versioned["Cache-Control"] == KEPT
    assert client.get(path)["Cache-Control"] == "public, max-age=300"
    assert "Vary" not in versioned


@pytest.mark.parametrize("path", ["theme/{}.css", "logo/{}"])
def test_a_partner_without_them_has_none(client, make_partner, path):
    plain = make_partner()

    assert client.get("/connect/v1/" + path.format(plain.external_id)).status_code == 404
    assert client.get("/connect/v1/" + path.format(uuid.uuid4())).status_code == 404


def test_a_logo_whose_file_is_lost_is_none(client, partner):
    partner.logo.storage.delete(partner.logo.name)

    assert client.get(f"/connect/v1/logo/{partner.external_id}").status_code == 404


def test_the_pages_wear_them(make_lead, make_flow, partner):
    flow = make_flow(make_lead(partner))

    page = flow.get().content.decode()

    theme = f"/connect/v1/theme/{partner.external_id}.css?v={partner.theme.version}"
    logo = f"/connect/v1/logo/{partner.external_id}?v={partner.logo_version}"
    assert f'<link rel="stylesheet" href="{theme}">' in page
    assert f'<img src="{logo}" alt="Acme">' in page


def test_a_logo_other_than_the_received_is_not_served(client, partner):
    path, name = f"/connect/v1/logo/{partner.external_id}", partner.logo.name
    before = client.get(path).status_code

    partner.logo.storage.delete(name)
    partner.logo.storage.save(name, ContentFile(JPEG))
    replaced = client.get(path).status_code

    assert (before, replaced) == (200, 404)
    Partner.objects.filter(pk=partner.pk).update(logo="partners/.png")
    assert client.get(path).status_code == 404


def test_a_logo_whose_name_has_16_digits_is_still_served(client, partner):
    former = f"partners/{partner.external_id}/{partner.logo_version[:16]}.png"
    partner.logo.storage.save(former, ContentFile(PNG))
    Partner.objects.filter(pk=partner.pk).update(logo=former)

    assert client.get(f"/connect/v1/logo/{partner.external_id}").content == PNG
