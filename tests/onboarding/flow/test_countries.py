"""The names of countries, for suggestions."""

import pytest


@pytest.mark.parametrize(("language", "name"), [("en", "Germany"), ("es", "Alemania")])
def test_names_are_public_and_cached(client, language, name):
    response = client.get(f"/connect/v1/countries/{language}.json")

    assert name in response.json()
    assert len(response.json()) == 249
    assert "public" in response["Cache-Control"]


def test_another_language_is_not_found(client):
    assert client.get("/connect/v1/countries/xx.json").status_code == 404
