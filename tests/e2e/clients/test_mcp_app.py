"""The page beside the financial summary, in the frame of the extension's own client library."""

import subprocess
from pathlib import Path

import pytest
from django.utils import timezone

from mcp_server.ui_resources import CASH_FLOW
from tests import factories
from tests.e2e import axe, browsing, npm
from tests.mcp_server.conftest import connect

EXT_APPS = "@modelcontextprotocol/ext-apps@2.0.4"
ESBUILD = "esbuild@0.28.2"
HOST = Path(__file__).parent / "mcp_app_host.js"
TODAY = timezone.now().date().isoformat()
TOOL = "svc_get_financial_summary"

pytestmark = [pytest.mark.one_database, pytest.mark.django_db]


@pytest.fixture(scope="module")
def host(tmp_path_factory):
    """The client's script, with its library in it."""
    folder = tmp_path_factory.mktemp("host")
    (folder / HOST.name).write_text(HOST.read_text())
    (folder / "node_modules").symlink_to(npm.modules(EXT_APPS))
    esbuild = npm.modules(ESBUILD) / "esbuild" / "bin" / "esbuild"
    command = [npm.node(), esbuild, HOST.name, "--bundle", "--outfile=app.js"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return (folder / "app.js").read_text()


@pytest.fixture
def business():
    """A business with 9,000.00 of income and 1,250.40 of spending this month."""
    business = factories.make_business()
    account = factories.make_account(business=business)
    for cents in (900_000, -125_040):
        factories.make_transaction(account, amount_cents=cents, occurred_at=timezone.now())
    return business


@pytest.fixture
def assistant(business):
    user = factories.make_user()
    factories.make_business_owner(business, user=user)
    return connect(user)


@pytest.fixture
def show(chromium, host, assistant, business):
    """Show the page beside an answer, and return the window and the page's frame."""
    context = chromium.new_context(viewport={"width": 700, "height": 700})

    def show(customer=str(business.external_id), **hosted):
        page = context.new_page()
        page.errors = []
        page.on("pageerror", lambda error: page.errors.append(str(error)))
        page.on("console", lambda said: said.type == "error" and page.errors.append(said.text))
        page.set_content("<!doctype html><title>A client</title><main></main>")
        page.add_script_tag(content=host)
        facts = {"customerExternalId": customer, "startDate": TODAY, "granularity": "YEAR"}
        calls = {kind: {**facts, "chartType": kind} for kind in ["INCOME", "EXPENSE", "PROFIT"]}
        answers = {kind: assistant.result(TOOL, **given) for kind, given in calls.items()}
        [app] = assistant.ask("resources/read", {"uri": CASH_FLOW})["result"]["contents"]
        given = [app["text"], calls["INCOME"], answers, hosted]
        page.evaluate("(given) => showApp(...given)", given)
        return page, page.frames[1]

    yield show
    context.close()


def test_the_answer_is_a_chart_and_a_table(show):
    page, frame = show(locale="en-US", theme="light")

    frame.get_by_text("$9,000.00").first.wait_for()
    assert frame.locator("h1").text_content() == f"Income, {TODAY[:4]}-01 to {TODAY[:4]}-12"
    assert frame.locator("svg rect").count() == 12
    assert frame.locator("tbody tr").count() == 12
    assert page.errors == []


def test_another_figure_is_fetched_through_the_client(show):
    page, frame = show(locale="en-US", theme="light")

    frame.get_by_role("button", name="Expense").click()

    frame.get_by_text("$1,250.40").first.wait_for()
    assert frame.get_by_role("button", name="Expense").get_attribute("aria-pressed") == "true"
    [call] = page.evaluate("calls")
    assert (call["name"], call["arguments"]["chartType"]) == (TOOL, "EXPENSE")
    assert call["arguments"]["startDate"] == TODAY
    assert page.errors == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_can_be_used_by_everybody(show, script, theme):
    page, frame = show(locale="es-US", theme=theme)
    frame.get_by_text("9.000").or_(frame.get_by_text("9,000")).first.wait_for()
    frame.get_by_role("button", name="Profit").click()
    frame.locator("[aria-pressed=true][value=PROFIT]").wait_for()
    frame.locator("summary").click()

    assert axe.findings(frame, script) == []
    assert browsing.overflow(page) <= 0


def test_a_refusal_is_told(show):
    page, frame = show("another business")

    frame.get_by_text("There is no such business").wait_for()
    assert frame.locator("svg").is_hidden()
    assert page.errors == []
