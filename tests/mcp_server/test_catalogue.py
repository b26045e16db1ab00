"""The whole catalogue: every tool of the specification is in it, and its list is short."""

import ast
import inspect
import json
import re
from importlib import import_module
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured
from jsonschema import Draft202012Validator

from mcp_server import registry
from mcp_server.caller import Caller
from mcp_server.registry import TOOLS
from mcp_server.schema import Result
from mcp_server.scopes import Scope

TESTS = Path(__file__).resolve().parent.parent
SPECIFIED = [
    "list_customers",
    "select_customer",
    "svc_get_accountant_profile",
    "svc_list_accountant_clients",
    "svc_download_client_statement",
    "svc_download_all_client_statements",
    "svc_get_client_access_status",
    "svc_search_accountant_referrals",
    "svc_get_referral_invite_url",
    "svc_get_account_summary",
    "svc_list_linked_external_accounts",
    "svc_search_transactions",
    "svc_get_transaction",
    "svc_list_transaction_categories",
    "svc_get_transaction_receipt",
    "svc_get_transaction_locations",
    "svc_export_transactions_csv",
    "svc_get_financial_summary",
    "svc_list_invoices",
    "svc_get_invoice",
    "svc_list_invoice_service_items",
    "svc_list_bills",
    "svc_get_bill",
    "svc_get_bill_payment_methods",
    "svc_download_bill_attachment",
    "svc_list_suppliers",
    "svc_get_supplier",
    "svc_list_cards",
    "svc_get_secured_card_details",
    "svc_estimate_taxes",
    "svc_get_tax_bucket",
    "svc_search_tax_bucket_transactions",
    "svc_list_statements",
    "svc_download_statement",
    "svc_list_tax_statements",
    "svc_download_tax_statement",
    "svc_download_expense_report",
    "svc_download_bank_account_letter",
    "svc_get_current_user",
    "svc_get_business_profile",
    "svc_get_business_addresses",
    "svc_get_business_owners",
    "svc_get_business_plan",
    "svc_get_duns_details",
]
TOKENS_PER_TOOL = 420  # on average: the list is part of every conversation
# About what a model's tokenizer cuts: runs of letters of one case, digits by three, each
# punctuation mark; real ones join marks, so this counts too many rather than too few.
TOKEN = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d{1,3}|[^\sA-Za-z\d]+")


def listed(assistant):
    return assistant.ask("tools/list")["result"]["tools"]


def noun_of(module):
    return module.rpartition(".")[2]


def queries_of(module):
    """Yield the functions of `banking.queries` that a module calls as `noun.function`."""
    for node in ast.walk(ast.parse(inspect.getsource(module))):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            found = getattr(getattr(module, node.value.id, None), node.attr, None)
            if inspect.isfunction(found) and found.__module__.startswith("banking.queries."):
                yield found


def test_every_tool_of_the_specification_is_there():
    missing = [name for name in SPECIFIED if name not in TOOLS]

    assert not missing, f"Write a function under @tool in mcp_server/tools/ for each of {missing}."


@pytest.mark.parametrize("name", TOOLS)
def test_each_tool_has_a_test(name):
    mirror = Path("mcp_server/tools", f"test_{noun_of(TOOLS[name].function.__module__)}.py")

    assert name in (TESTS / mirror).read_text(), f"Test {name} in tests/{mirror}."


@pytest.mark.parametrize("module", sorted({tool.function.__module__ for tool in TOOLS.values()}))
def test_each_query_of_a_tool_has_a_test(module):
    for query in queries_of(import_module(module)):
        mirror = Path("banking/queries", f"test_{noun_of(query.__module__)}.py")
        test = (TESTS / mirror).read_text()

        assert re.search(rf"\b{query.__name__}\b", test), (
            f"Test {query.__name__} in tests/{mirror}."
        )


def test_the_whole_list_stays_short(accountants_assistant):
    text = json.dumps(listed(accountants_assistant), separators=(",", ":"))

    assert len(TOKEN.findall(text)) < TOKENS_PER_TOOL * len(TOOLS), "Shorten the descriptions."


def test_assistants_are_told_that_nothing_is_changed(accountants_assistant):
    for tool in listed(accountants_assistant):
        assert tool["annotations"] == {
            "title": tool["title"],
            "readOnlyHint": True,
            "destructiveHint": False,
            "idempotentHint": True,
            "openWorldHint": False,
        }


@pytest.mark.parametrize("name", TOOLS)
def test_the_schemas_are_sound(name):
    tool = TOOLS[name]

    Draft202012Validator.check_schema(tool.input_schema)
    Draft202012Validator.check_schema(tool.output_schema)

    assert tool.input_schema["type"] == tool.output_schema["type"] == "object"
    assert not re.search(r'"anyOf": \[.*"null"', json.dumps(tool.input_schema))
    validator = Draft202012Validator(tool.output_schema)
    assert validator.is_valid({"error": {"code": "NOT_FOUND", "message": "", "httpStatus": 404}})


@pytest.mark.parametrize("name", TOOLS)
def test_each_tool_says_what_comes_back_and_under_which_scope(name):
    tool = TOOLS[name]

    assert tool.title
    assert tool.description.splitlines()[0].endswith(".")
    assert tool.scope in Scope


@pytest.mark.parametrize("name", TOOLS)
def test_each_parameter_says_its_unit_zone_base_and_source(name):
    """Pages say where they begin, days their zone and whether they count, amounts their unit."""
    wanted = {
        "Date": r"\(UTC\)",
        "startDate": r"First day|Any day",
        "endDate": r"inclusive",
        "AmountUsd": r"US dollars.*inclusive",
        "incomeUsd": r"US dollars",
        "page": r"from [01]\.|per page",
        "size": r"per page",
        "Id": r"[fF]rom (list|select|svc)_|businessUserId| in svc_",
    }
    for parameter, schema in TOOLS[name].input_schema["properties"].items():
        description = schema.get("description", "")
        assert description.endswith("."), f"Describe {parameter} of {name}."
        for part, words in wanted.items():
            if parameter.endswith(part) or parameter.startswith(part):
                assert re.search(words, description), f"{name}: {parameter}: {description}"


def test_a_name_that_is_taken_is_refused():
    first = TOOLS["svc_list_cards"]

    def svc_list_cards(caller: Caller) -> Result:
        """List something else."""

    with pytest.raises(ImproperlyConfigured) as refused:
        registry.tool(Scope.CARDS, title="List something else")(svc_list_cards)

    assert str(refused.value) == (
        "The tool svc_list_cards is registered twice, in mcp_server.tools.cards and in "
        f"{__name__}. Rename one of the two functions."
    )
    assert TOOLS["svc_list_cards"] is first
