import re

import pytest
from django.contrib.staticfiles import finders

DOCS = "/service/api/v1/docs"


@pytest.fixture
def page(client, db):
    return client.get(DOCS).content.decode()


def test_the_documentation_needs_no_other_host_and_nothing_inline(page):
    assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)", page)
    assert not re.search(r'(?:src|href)="(?:https?:)?//', page)


def test_every_file_of_the_documentation_is_there(page):
    files = re.findall(r'(?:src|href)="/static/([^"]+)"', page)

    assert "onboarding/api-docs.css" in files
    assert [file for file in files if not finders.find(file)] == []


def test_the_script_of_the_documentation_names_the_schema(page, client):
    script = re.search(r'src="(/service/[^"]+)"', page)[1]

    response = client.get(script)

    assert response["Content-Type"].startswith("application/javascript")
    assert "/service/api/v1/openapi.json" in response.content.decode().replace("\\u002D", "-")


@pytest.mark.parametrize("accept", ["text/html", "application/json", "application/xml", "*/*"])
def test_the_documentation_is_a_page_whatever_is_accepted(client, db, accept):
    response = client.get(DOCS, headers={"Accept": accept})

    assert response.status_code == 200
    assert response["Content-Type"].startswith("text/html")


def test_the_documentation_is_only_read(client, db):
    response = client.put(DOCS)

    assert response.status_code == 405
    assert response.json()["errors"][0]["codeName"] == "METHOD_NOT_ALLOWED"


def test_the_policy_lets_only_our_own_scripts_run(client, db):
    policy = client.get(DOCS)["Content-Security-Policy"]

    assert "default-src 'self'" in policy
    assert "unsafe" not in policy
    assert "script-src" not in policy
