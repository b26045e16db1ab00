"""Whose data it is: every tool against every way to ask for somebody else's.

The rows of the matrix are all tools of the catalogue, its columns the tests.
"""

import base64
import io
import json
import zipfile
from uuid import UUID

import pytest
from django.apps import apps
from jsonschema import Draft202012Validator, FormatChecker

from banking.choices import AccessLevel, AccessStatus, UserType
from banking.models import ClientAccess
from mcp_server.models import AccessLogEntry
from mcp_server.registry import TOOLS
from mcp_server.scopes import Scope
from tests import factories
from tests.banking.pdf.reading import ReadDocument
from tests.mcp_server import tenants
from tests.mcp_server.tenants import TODAY, settle_in

UNKNOWN = "01900000-0000-7000-8000-000000000000"
ENDED_FOR = {
    "REVOKED": "The access to this client has ended.",
    "PENDING_TERMS": "This client's access waits for terms to be accepted: call "
    "svc_get_client_access_status.",
}
STRANGER = {
    "owner": "There is no such business among those that you may see. "
    "Take businessUserId from svc_get_current_user.",
    "accountant": "There is no such business among those that you may see. "
    "Take the client's externalId from list_customers.",
}
WHOSE = ["businessUserId", "customerExternalId"]
# The parameters that name something of a business, and a value that names nothing of anybody's.
NAMES = {
    "accountNo": "299999999999",
    "billExternalId": UNKNOWN,
    "documentId": UNKNOWN,
    "invoiceExternalId": UNKNOWN,
    "locationKeys": "loc_0000000000aa",
    "referralExternalId": UNKNOWN,
    "statementId": UNKNOWN,
    "supplierExternalId": UNKNOWN,
    "transactionId": UNKNOWN,
}
WORDS = {"category", "query", "search"}  # they name nothing of one business alone
ALIKE = {"svc_list_transaction_categories"}  # the bank's own, the same for everybody
TELLS_OF_ENDED = {"svc_get_client_access_status"}  # it is there to say so
REVOKED = {"status": AccessStatus.REVOKED, "revoked_at": TODAY}
WAITING = {"status": AccessStatus.PENDING_TERMS, "granted_at": None}

OF_BUSINESS = [name for name, tool in TOOLS.items() if not tool.is_for_accountants]
OF_ACCOUNTANTS = [name for name, tool in TOOLS.items() if tool.is_for_accountants]
EVERYBODYS = [("owner", name) for name in OF_BUSINESS] + [("accountant", name) for name in TOOLS]


def parameters(tool):
    return TOOLS[tool].input_schema["properties"]


def whose(tool):
    """Return the parameter that names the business, if the tool has one."""
    return next((name for name in WHOSE if name in parameters(tool)), None)


NAMING = [(who, tool) for who, tool in EVERYBODYS if whose(tool)]
OF_A_CLIENT = [tool for who, tool in NAMING if who == "accountant"]
INSIDE = [
    (who, tool, name) for who, tool in EVERYBODYS for name in NAMES if name in parameters(tool)
]


URL = "downloadUrl"


def is_signed(tool):
    """Say whether each answer has a signature of its own."""
    return tool == "svc_download_bank_account_letter"


@pytest.fixture(scope="module")
def both(django_db_setup, django_db_blocker):
    """The two tenants, made once: each test undoes what it does to them."""
    with tenants.settling(django_db_blocker):
        factories.make_terms(title="Pending", published_at=tenants.OPENED)
        yield settle_in("Kestrel", cents=1_234), settle_in("Plover", cents=5_678)


@pytest.fixture
def kestrel(both, db):
    return both[0]


@pytest.fixture
def plover(both, db):
    return both[1]


def question(tenant, tool):
    """Return what a tool is asked about a tenant, beside whose business is meant."""
    if tool not in tenant.asked:
        pytest.fail(
            f"{tool} is not in the matrix. Add what it is asked to `questions` in "
            "tests/mcp_server/tenants.py, and to `settle_in` a row that it tells of.",
            pytrace=False,
        )
    return tenant.asked[tool]


def ask(tenant, who, tool, **changes):
    """Return the whole result of a tool that a tenant's owner or accountant asks."""
    assistant = tenant.owners_assistant if who == "owner" else tenant.accountants_assistant
    named = {whose(tool): tenant.external_id} if whose(tool) else {}
    return assistant.result(tool, **{**named, **question(tenant, tool), **changes})


def refusal(result):
    assert result["isError"]
    error = result["structuredContent"]["error"]
    return error["code"], error["message"]


def content_of(result):
    """Return all that a result tells, in lower case, what is written in files too.

    The link of a file is left out: each answer has its own.
    """
    answer = {name: told for name, told in result["structuredContent"].items() if name != URL}
    texts = [json.dumps(answer, ensure_ascii=False)]
    if "base64" in answer:
        texts += written(answer["contentType"], base64.b64decode(answer["base64"]))
    return "\n".join(texts).lower()


def written(content_type, content):
    if content_type == "application/pdf":
        yield ReadDocument(content).text
    elif content_type == "application/zip":
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for name in archive.namelist():
                yield name
                yield from written("application/pdf", archive.read(name))
    else:
        yield content.decode()


def test_each_tenant_has_a_row_of_every_noun(kestrel, plover):
    nouns = [
        model
        for model in apps.get_app_config("banking").get_models()
        if any(field.name == "business" for field in model._meta.fields)
    ]

    bare = [
        model.__name__
        for model in nouns
        for tenant in (kestrel, plover)
        if not model.objects.filter(business=tenant.business).exists()
    ]

    assert not bare, "Let `settle_in` in tests/mcp_server/tenants.py make a row of each."


@pytest.mark.parametrize("tool", TOOLS)
def test_each_text_that_a_tool_takes_is_known_to_the_matrix(tool):
    texts = {
        name
        for name, schema in parameters(tool).items()
        if schema["type"] == "string" and "enum" not in schema and "format" not in schema
    }

    strange = texts - {*WHOSE, *NAMES, *WORDS}

    assert not strange, "Add what names something of a business to NAMES, other texts to WORDS."


@pytest.mark.parametrize(("who", "tool"), EVERYBODYS)
def test_an_answer_tells_of_ones_own_business_alone(kestrel, plover, who, tool):
    results = [ask(tenant, who, tool) for tenant in (kestrel, plover)]

    answers = [content_of(result) for result in results]
    assert not any(result["isError"] for result in results), (
        f"Let `settle_in` in tests/mcp_server/tenants.py make a row that {tool} returns: {answers}"
    )
    assert not {mark for mark in plover.marks if mark in answers[0]}
    assert not {mark for mark in kestrel.marks if mark in answers[1]}
    assert (answers[0] == answers[1]) is (tool in ALIKE), (
        "Let `settle_in` in tests/mcp_server/tenants.py give the two businesses other rows, counts "
        "and sums for this tool. ALIKE is for what the bank answers to everybody."
    )


@pytest.mark.parametrize(("who", "tool"), EVERYBODYS)
def test_no_account_number_is_told_in_full_without_a_second_factor(kestrel, settings, who, tool):
    results = [ask(kestrel, who, tool)]
    settings.CUSTOMER_SECOND_FACTOR = True

    results += [ask(kestrel, who, tool)]

    numbers = [account.account_number for account in kestrel.business.accounts.all()]
    shown = [any(number in content_of(result) for number in numbers) for result in results]
    assert shown == [TOOLS[tool].shows_account_numbers, False]
    is_refused = who == "accountant" or TOOLS[tool].shows_account_numbers
    assert [result["isError"] for result in results] == [False, is_refused]


@pytest.mark.parametrize("tool", TOOLS)
def test_an_answer_has_the_shape_that_was_told(kestrel, tool):
    promised, _error = TOOLS[tool].output_schema["anyOf"]
    schema = promised | {"$defs": TOOLS[tool].output_schema.get("$defs", {})}

    answer = ask(kestrel, "accountant", tool)["structuredContent"]

    Draft202012Validator(schema, format_checker=FormatChecker()).validate(answer)
    assert list(answer) == promised["required"]
    assert {*promised["properties"]} - {*answer} <= {"remark"}


@pytest.mark.parametrize("tool", OF_BUSINESS)
def test_an_owner_may_be_named_by_either_id(kestrel, tool):
    ids = [kestrel.external_id, str(kestrel.owner.external_id)]

    results = [ask(kestrel, "owner", tool, **{whose(tool): external_id}) for external_id in ids]
    if whose(tool) not in TOOLS[tool].input_schema.get("required", []):
        results.append(ask(kestrel, "owner", tool, **{whose(tool): None}))

    answers = [content_of(result) for result in results]
    assert not any(result["isError"] for result in results), answers
    assert is_signed(tool) or len(set(answers)) == 1


@pytest.mark.parametrize(("who", "tool"), NAMING)
def test_a_foreign_business_is_none(kestrel, plover, who, tool):
    foreign = [plover.external_id, str(plover.owner.external_id)]
    none = [UNKNOWN, "nobody", "0"]

    results = [
        ask(kestrel, who, tool, **{whose(tool): external_id}) for external_id in foreign + none
    ]

    assert all(result == results[0] for result in results)
    assert refusal(results[0]) == ("ACCESS_DENIED", STRANGER[who])
    assert not AccessLogEntry.objects.filter(business=plover.business).exists()


@pytest.mark.parametrize("tool", OF_A_CLIENT)
@pytest.mark.parametrize("ended", [REVOKED, WAITING], ids=["revoked", "waiting"])
def test_a_client_that_is_not_connected_is_none(kestrel, tool, ended):
    ClientAccess.objects.filter(business=kestrel.business).update(**ended)

    result = ask(kestrel, "accountant", tool)

    if tool in TELLS_OF_ENDED:
        assert result["structuredContent"]["status"] == ended["status"]
    else:
        assert refusal(result) == ("ACCESS_DENIED", ENDED_FOR[ended["status"]])


def test_lists_of_all_clients_end_with_the_access(kestrel):
    ClientAccess.objects.filter(business=kestrel.business).update(**REVOKED)

    archive = ask(kestrel, "accountant", "svc_download_all_client_statements")
    clients = ask(kestrel, "accountant", "list_customers")["structuredContent"]["customers"]

    assert archive["structuredContent"]["clientCount"] == 0
    assert archive["structuredContent"]["skipped"] == []
    assert [client["status"] for client in clients] == ["REVOKED"]


@pytest.mark.parametrize("tool", OF_A_CLIENT)
def test_statements_only_is_no_more_than_that(kestrel, tool):
    ClientAccess.objects.filter(business=kestrel.business).update(level=AccessLevel.STATEMENTS_ONLY)

    result = ask(kestrel, "accountant", tool)

    if TOOLS[tool].scope in {Scope.STATEMENTS, Scope.CLIENTS}:
        assert not result["isError"]
    else:
        assert refusal(result) == ("ACCESS_DENIED", "This client lets you see statements only.")


@pytest.mark.parametrize("tool", OF_A_CLIENT)
def test_an_accountant_must_name_the_client(kestrel, tool):
    left_out = [None] if tool in TELLS_OF_ENDED else [None, ""]

    results = [ask(kestrel, "accountant", tool, **{whose(tool): value}) for value in left_out]

    for result in results:
        code, message = refusal(result)
        assert code == "INVALID_PARAMETER"
        assert message.startswith(f"{whose(tool)}: is required")


@pytest.mark.parametrize("tool", OF_ACCOUNTANTS)
def test_a_tool_for_accountants_is_for_nobody_else(kestrel, tool):
    listed = kestrel.owners_assistant.ask("tools/list")["result"]["tools"]

    result = ask(kestrel, "owner", tool)

    assert refusal(result) == ("ACCESS_DENIED", "This tool is for accountants.")
    assert tool not in {other["name"] for other in listed}


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("user_type", [UserType.BUSINESS, UserType.STAFF])
def test_whoever_has_no_business_sees_none(kestrel, make_user, make_assistant, tool, user_type):
    nobody = make_assistant(make_user(user_type=user_type))
    named = {whose(tool): kestrel.external_id} if whose(tool) else {}

    result = nobody.result(tool, **named, **question(kestrel, tool))

    reason = "This tool is for accountants."
    if tool in OF_BUSINESS:
        reason = "You have no business account."
    assert refusal(result) == ("ACCESS_DENIED", reason)


@pytest.mark.parametrize("tool", TOOLS)
def test_a_token_without_the_scope_is_challenged(kestrel, make_assistant, tool):
    scope = TOOLS[tool].scope
    user = kestrel.accountant.user
    assistant = make_assistant(user, scopes=[other for other in Scope if other != scope])
    call = {"name": tool, "arguments": question(kestrel, tool)}

    response = assistant.post({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call})

    assert response.status_code == 403
    assert response.json()["error"]["code"] == "ACCESS_DENIED"
    challenge = response.headers["www-authenticate"]
    assert 'error="insufficient_scope"' in challenge
    assert f"lacks {scope.value}." in challenge


@pytest.mark.parametrize(("who", "tool", "name"), INSIDE)
def test_what_belongs_to_another_business_is_unknown(kestrel, plover, who, tool, name):
    theirs, unknown = question(plover, tool)[name], NAMES[name]

    foreign = ask(kestrel, who, tool, **{name: theirs})["content"][0]["text"]
    nothing = ask(kestrel, who, tool, **{name: unknown})["content"][0]["text"]

    assert foreign.replace(theirs, unknown) == nothing
    if name == "locationKeys":
        assert json.loads(foreign) == {"locations": [], "notFound": [theirs]}
    else:
        assert json.loads(foreign)["error"]["code"] == "NOT_FOUND"


@pytest.mark.parametrize(("who", "tool", "name"), INSIDE)
def test_what_is_no_id_is_unknown(kestrel, who, tool, name):
    answers = [ask(kestrel, who, tool, **{name: wrong}) for wrong in ("7", "{}", "%", "None")]

    for answer in answers:
        if name == "locationKeys":
            assert answer["structuredContent"]["locations"] == []
        else:
            assert refusal(answer)[0] == "NOT_FOUND"


def test_anothers_account_and_transaction_together_are_unknown(kestrel, plover):
    theirs = question(plover, "svc_get_transaction")

    result = ask(kestrel, "owner", "svc_get_transaction", **theirs)

    assert result == ask(kestrel, "owner", "svc_get_transaction", accountNo=NAMES["accountNo"])
    assert refusal(result)[0] == "NOT_FOUND"


def test_what_others_do_changes_no_answer(both, db):
    heron = settle_in("Heron", cents=2_345)
    asked = [(who, tool) for who, tool in EVERYBODYS if not is_signed(tool)]
    before = {(who, tool): content_of(ask(heron, who, tool)) for who, tool in asked}

    settle_in("Bittern", cents=6_789)

    changed = [
        (who, tool) for who, tool in asked if content_of(ask(heron, who, tool)) != before[who, tool]
    ]
    assert changed == []


def test_the_ids_of_the_tenants_are_ids(kestrel, plover):
    ids = {mark for mark in kestrel.marks | plover.marks if len(mark) == 36}

    assert all(str(UUID(mark)) == mark for mark in ids)
    assert not kestrel.marks & plover.marks
