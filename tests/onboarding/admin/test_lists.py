import re

import pytest
from django.apps import apps
from django.contrib import admin
from django.db import connection

from foundation.backoffice.screens import FactsAdmin
from foundation.privacy.fields import encrypted_names
from onboarding.event_types import EventType
from onboarding.models import Application, Document, Event, Lead, Owner
from onboarding.services.events import history
from onboarding.services.events.history import PARTNER
from tests import factories

ROOT = "/admin/onboarding/"
NUMBERS = ["ssn", "passport_number", "id_gov_number"]


@pytest.fixture
def fill(make_application, make_owner, make_document, make_api_key):
    """Add a whole lead of a partner of its own, several times."""

    def add(times):
        for _ in range(times):
            issued = make_api_key()
            lead = factories.make_lead(issued.key.partner)
            application = make_application(lead)
            history.record(application, EventType.CREATED, by=PARTNER, at=factories.NOON)
            make_owner(lead)
            make_document(lead)

    return add


SCREENS = ["partner", "apikey", "lead", "owner", "document", "application", "event"]


@pytest.mark.parametrize("name", [*SCREENS, "documentrule"])
def test_a_list_takes_as_many_statements_for_thirty_rows_as_for_three(name, fill, count_queries):
    fill(3)
    few = count_queries(f"{ROOT}{name}/")

    fill(27)

    assert count_queries(f"{ROOT}{name}/") == few


@pytest.mark.parametrize("name", ["lead", "owner", "document", "application", "event"])
def test_a_list_stands_though_a_number_cannot_be_opened(name, fill, chief):
    fill(2)
    for model, columns in {"lead": [*NUMBERS, "ein"], "owner": NUMBERS}.items():
        values = ", ".join(f"{column} = 'e1.gone.AAAA'" for column in columns)
        with connection.cursor() as cursor:
            cursor.execute(f"UPDATE onboarding_{model} SET {values}")

    for query in ("", "?q=lead"):
        assert chief.get(f"{ROOT}{name}/{query}").status_code == 200


def test_no_list_reads_an_encrypted_column(rf, admin_user):
    request = rf.get("/")
    request.user = admin_user
    encrypted = {
        f'"{model._meta.db_table}"."{name}"'
        for model in apps.get_models()
        for name in encrypted_names(model)
    }

    for screen in map(
        admin.site.get_model_admin, filter(admin.site.is_registered, apps.get_models())
    ):
        if isinstance(screen, FactsAdmin):
            rows = screen.get_changelist_instance(request).queryset
            assert not [column for column in encrypted if column in str(rows.query)], screen


@pytest.mark.parametrize("name", ["lead", "owner", "document", "application", "event"])
def test_a_list_is_searched_by_the_name_of_the_applicant(name, fill, chief):
    fill(3)
    Lead.objects.filter(pk=Lead.objects.latest("pk").pk).update(last_name="Okonkwo")

    assert chief.get(f"{ROOT}{name}/?q=okonkwo").context["cl"].result_count == 1


def test_the_page_of_a_lead_takes_as_many_statements_for_many_rows(
    make_lead, make_application, make_owner, make_document, count_queries
):
    lead = make_lead()
    path = f"{ROOT}lead/{lead.pk}/change/"

    def add(times):
        for _ in range(times):
            make_owner(lead)
            make_document(lead)
            attempt = lead.applications.count() + 1
            lead.applications.update(is_current=False)
            make_application(lead, attempt=attempt)

    add(3)
    few = count_queries(path)

    add(17)

    assert count_queries(path) == few


def test_the_page_of_a_partner_takes_as_many_statements_for_many_keys(
    make_partner, make_api_key, count_queries
):
    partner = make_partner()
    path = f"{ROOT}partner/{partner.pk}/change/"
    for _ in range(3):
        make_api_key(partner)
    few = count_queries(path)

    for _ in range(17):
        make_api_key(partner)

    assert count_queries(path) == few


@pytest.mark.parametrize("name", SCREENS)
def test_staff_without_permissions_see_nothing(name, fill, make_staff):
    fill(1)
    staff = make_staff()

    assert staff.get(f"{ROOT}{name}/").status_code == 403
    assert f'"{ROOT}{name}/"' not in staff.get("/admin/").content.decode()


FACTS = [Lead, Owner, Document, Application, Event]


@pytest.mark.parametrize("model", FACTS)
def test_nothing_that_is_a_fact_can_be_added_edited_or_deleted(model, fill, chief):
    fill(1)
    before = model.objects.values().get()
    page = f"{ROOT}{model._meta.model_name}/"
    evil = {"email": "evil@example.com", "file_name": "evil", "status": "APPROVED"}

    statuses = [
        chief.post(f"{page}{before['id']}/change/", evil).status_code,
        chief.post(f"{page}{before['id']}/delete/", {"post": "yes"}).status_code,
        chief.post(f"{page}add/", evil).status_code,
        chief.post(
            page, {"action": "delete_selected", "_selected_action": before["id"]}
        ).status_code,
    ]

    assert set(statuses[:3]) <= {403, 405}
    assert statuses[3] in {200, 302}  # a list with actions sends back who has none of this name
    assert model.objects.values().get() == before


@pytest.mark.parametrize("model", [Lead, Owner, Document, Event])
def test_a_page_of_facts_has_no_field_to_type_into(model, fill, chief):
    fill(1)
    page = f"{ROOT}{model._meta.model_name}/{model.objects.get().pk}/change/"

    main = chief.get(page).content.decode().split('id="content-start"')[1]

    assert not re.findall(r'<(?:input(?! type="hidden")|textarea|select)[^>]*>', main)
