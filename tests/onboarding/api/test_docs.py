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
