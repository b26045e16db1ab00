"""Query parameters that an operation does not declare: refused by name on every route."""

import re

import pytest
from rest_framework.response import Response
from rest_framework.test import APIRequestFactory

from onboarding.api import urls
from onboarding.api.partner_view import ApiView
from onboarding.models import IdempotencyRecord, Lead
from tests.onboarding.api.described import error_body, operations
from tests.onboarding.conftest import codes

VIEWS = {
    re.sub(r"<str:\w+>", "1", str(pattern.pattern)): pattern.callback.view_class
    for pattern in urls.urlpatterns
}
CALLS = [
    (method.upper(), path)
    for path, view in VIEWS.items()
    if issubclass(view, ApiView)
    for method in view.http_method_names
    if hasattr(view, method) or (method == "head" and hasattr(view, "get"))
]
DECLARED = [
    (method, re.sub(r"\{\w+\}", "1", path).removeprefix("/service/api/v1/"), parameter["name"])
    for (method, path), operation in operations().items()
    for parameter in operation["parameters"]
    if parameter["in"] == "query"
]


def test_every_route_but_the_page_of_the_documentation_is_a_view_of_the_interface():
    assert {path for path, view in VIEWS.items() if not issubclass(view, ApiView)} == {"docs"}
    assert len(CALLS) > len(VIEWS)


@pytest.mark.parametrize(("method", "path"), CALLS)
def test_every_operation_refuses_a_parameter_that_it_does_not_declare(api, method, path):
    response = api.call(method, f"{path}?hat=1&format=json&hat=2", {})

    assert response.status_code == 400
    if method != "HEAD":
        assert codes(response) == {"/hat": "UNKNOWN_PARAMETER", "/format": "UNKNOWN_PARAMETER"}


@pytest.mark.parametrize(
    ("method", "path"), [call for call in CALLS if not call[1].startswith(("meta", "openapi"))]
)
def test_a_call_without_a_key_learns_of_the_key_first(api, method, path):
    assert api.call(method, f"{path}?hat=1", {}, Authorization=None).status_code == 401


@pytest.mark.parametrize(("method", "path", "name"), DECLARED)
def test_every_parameter_of_the_document_is_read(api, method, path, name):
    response = api.call(method, f"{path}?{name}=1", {})

    assert response.status_code < 500
    if response.status_code >= 400:
        assert "UNKNOWN_PARAMETER" not in codes(response).values()


def test_a_view_that_declares_nothing_takes_no_parameter(db):
    class Hats(ApiView):
        def get(self, request):
            return Response([])

    called = APIRequestFactory().get

    assert Hats.as_view()(called("/hats")).status_code == 200
    assert Hats.as_view()(called("/hats?size=6")).status_code == 400


def test_the_answer_says_which_parameters_there_are(api):
    listed = api.get("lead?state=CREATED", Accept_Language="es").json()["errors"]
    read = api.get("lead/1?state=CREATED", Accept_Language="es").json()["errors"]

    refusal = "This operation has no such query parameter. It accepts: {}."
    known = "status, email, uniqueId, updatedSince, limit, cursor"
    assert [error["field"] for error in listed] == ["/state"]
    assert listed[0]["message"] == refusal.format(known)
    assert read[0]["message"] == refusal.format("none")
    assert read[0]["localizedMessage"].endswith("consulta. Acepta: ninguno.")


def test_lead_operations_refuse_in_the_format_of_the_contract(api):
    response = api.put("lead?validateonly=true", {"email": "ada@example.com"}, Accept="*/*")

    assert response["Content-Type"].startswith("application/xml")
    assert error_body(response)["errors"][0]["field"] == "/validateonly"
    assert not Lead.objects.exists()


def test_an_update_cannot_be_tried(api):
    lead = api.create(firstName="Ada")["customerId"]

    response = api.post(
        f"lead/{lead}?validateOnly=true", {"email": "ada@example.com", "firstName": "Grace"}
    )

    assert codes(response) == {"/validateOnly": "UNKNOWN_PARAMETER"}
    assert Lead.objects.get().first_name == "Ada"


def test_a_refused_parameter_leaves_the_idempotency_key_free(api):
    body = {"email": "ada@example.com"}

    refused = api.put("lead?validate=true", body, Idempotency_Key="k1")
    assert refused.status_code == 400
    assert not IdempotencyRecord.objects.exists()

    assert api.put("lead", body, Idempotency_Key="k1").status_code == 201


def test_a_personal_number_among_the_names_is_not_repeated(api):
    response = api.get("lead?123-45-6789=1&%00%FF=2&=3")

    assert list(codes(response)) == ["/***-**-****", "/\x00\ufffd", "/"]


def test_a_path_that_leads_nowhere_stays_a_404(api):
    assert codes(api.get("nowhere?hat=1")) == {None: "RESOURCE_NOT_FOUND"}


def test_a_method_that_is_not_there_stays_a_405(api):
    assert codes(api.post("events?hat=1")) == {None: "METHOD_NOT_ALLOWED"}
