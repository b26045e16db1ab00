import re

import pytest
from django.apps import apps
from django.contrib import admin
from django.urls import reverse

from onboarding.models import Partner
from tests.factories import make_partner
from tests.staff import ask_view

PAGES = ["", "login/", "password_change/", "banking/", "banking/user/", "banking/user/add/"]


def test_the_sign_in_page_has_the_house_look(client, db):
    page = client.get("/admin/login/").content.decode()

    assert "Vestibule back office" in page
    assert "banking/back-office.css" in page


@pytest.mark.parametrize("page", PAGES)
def test_a_page_keeps_the_content_security_policy(chief, client, page):
    if page == "login/":
        client.logout()
    response = chief.get(f"/admin/{page}")

    text = response.content.decode()
    assert "default-src 'self'" in response["Content-Security-Policy"]
    assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)", text)
    assert not re.search(r'(?:src|href)="(?:https?:)?//', text)


def test_the_apps_of_the_house_come_before_those_of_django(chief):
    page = chief.get("/admin/").content.decode()

    apps = re.findall(r'class="app-(\w+) module', page)
    assert apps[-1] == "auth"
    assert apps.index("onboarding") < apps.index("banking")


def test_what_packages_list_of_tokens_and_secrets_is_not_shown(chief):
    for hidden in ("oauth2_provider/accesstoken", "otp_totp/totpdevice", "axes/accessattempt"):
        assert chief.get(f"/admin/{hidden}/").status_code == 404


REFUSED = ["pk__regex=(", "id__iregex=(", "pk__range=1", "pk__in=99999999999999999999", "email=%00"]


@pytest.mark.parametrize("query", REFUSED)
def test_no_list_hands_a_broken_lookup_to_the_database(chief, query):
    lists = [
        reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
        for model in apps.get_models()
        if admin.site.is_registered(model)
    ]

    statuses = {path: chief.get(f"{path}?{query}").status_code for path in lists}

    assert statuses == dict.fromkeys(lists, 400)


BROKEN = ["(", "9" * 40, "9" * 4301, "%00"]


def filters():
    """Yield the address of each list with the name of each of its filters."""
    for model, screen in admin.site._registry.items():  # noqa: SLF001 - Django's only way to know
        path = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
        for entry in screen.list_filter:
            name = entry[0] if isinstance(entry, tuple) else entry
            yield path, name if isinstance(name, str) else name.parameter_name


def show_filtered(user, address):
    """Return the status of a list, of which the rows and the choices of filters are read."""
    answer = ask_view(user, address)
    if answer.status_code == 200:
        shown = answer.context_data["cl"]
        list(shown.result_list)
        for one in shown.filter_specs:
            list(one.choices(shown))
    return answer.status_code


@pytest.mark.parametrize("value", BROKEN)
def test_no_filter_fails_at_a_value_that_it_cannot_read(django_user_model, value):
    chief = django_user_model.objects.create_superuser("chief@example.com")

    statuses = {
        address: show_filtered(chief, address)
        for path, name in filters()
        for lookup in ("", "__exact", "__gte", "__id__exact")
        for address in [f"{path}?{name}{lookup}={value}"]
    }

    assert {one for one, code in statuses.items() if code not in {200, 400}} == set()
    assert 400 in statuses.values()


def test_a_day_that_no_calendar_has_is_refused(chief):
    answer = chief.get("/admin/banking/staffevent/?occurred_at__gte=yesterday")

    assert answer.status_code == 400


def test_a_page_beyond_the_last_leads_back_to_the_list(chief, monkeypatch):
    monkeypatch.setattr(admin.site.get_model_admin(Partner), "list_per_page", 1)
    for name in ("Northstar Commerce", "Harbor Ledger"):
        make_partner(name=name)

    assert chief.get("/admin/onboarding/partner/?p=99").status_code == 302


@pytest.mark.parametrize(
    "path",
    [
        "banking/user/?is_active__exact=1&groups__id__exact=1",
        "onboarding/event/?lead=1&occurred_at__isnull=False",
        "onboarding/webhook/?status__exact=ACTIVE&failing_since__isempty=0",
        "onboarding/application/?queue=mine&lead__partner__id__exact=1&is_current__exact=1",
    ],
)
def test_what_filters_and_links_write_is_accepted(chief, path):
    assert chief.get(f"/admin/{path}").status_code == 200


@pytest.mark.parametrize("page", ["index", "banking_user_add", "onboarding_application_changelist"])
def test_every_page_says_that_nothing_leaves(chief, page, settings):
    before = chief.get(reverse(f"admin:{page}"))
    settings.OUTBOUND = False

    after = chief.get(reverse(f"admin:{page}"))

    assert "Nothing leaves this system." not in before.content.decode()
    assert "Nothing leaves this system." in after.content.decode()
