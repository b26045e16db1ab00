"""A business becomes a customer: an applicant, two people of staff and the partner's server."""

import re

import pytest

from tests.e2e.applicants import LATER, LEAD, SEND, Applicant, fill_in_everything
from tests.e2e.receiver import Receiver
from tests.e2e.serving import served
from tests.e2e.working import working

FOR_REVIEW = "123-45-0004"  # the sandbox sends it to staff
ON_THE_LIST = "".join(
    f'{number},"HOPPER, Grace","individual","SDGT"' + ",-0- " * 7 + f',"DOB {born}."\r\n'
    for number, born in ((17001, "09 Dec 1906"), (17002, "1952"))
)
ACCOUNTS = "SELECT account_type, status FROM banking_account WHERE business_id IS NOT NULL"
OF_ADA = "SELECT business_id FROM banking_businessowner WHERE email = 'ada@example.com'"


class Colleague(Applicant):
    """Somebody of staff at a browser."""

    def sign_in(self, server, role):
        self.page.goto(f"http://127.0.0.1:{server.port}/admin/")
        facts = server.facts
        self.type({"username": facts[f"{role}_USER"], "password": facts[f"{role}_PASSWORD"]})
        self.page.click("form button[type=submit], form [type=submit]")
        self.page.wait_for_url("**/admin/")

    def open_case(self, name):
        self.page.goto(self.page.url.partition("/admin/")[0] + "/admin/onboarding/application/")
        self.page.click(f"#result_list a:has-text('{name}')")

    def open_documents(self):
        """Open each document that an approval waits for."""
        buttons = self.page.locator(".unopened button")
        for number in range(buttons.count()):
            with self.page.expect_response(re.compile(r"/view/\?token=")):
                buttons.nth(number).click()

    def take(self, step, **values):
        """Fill in the form of a step, and send it."""
        form = self.page.locator(f"form[action*='/{step}/']").first
        if not form.is_visible():
            form.locator("xpath=ancestor::details[1]/summary").click()
        for name, value in values.items():
            form.locator(f"[name={name}]").fill(value)
        with self.page.expect_response(f"**/{step}/"):
            form.locator("button").first.click()
        self.page.locator(".answer").first.wait_for()

    def reject(self, reason):
        """Open the first document, and reject it in the viewer."""
        self.page.locator("#document-list button[aria-label^=Open]").first.click()
        viewer = self.page.frame_locator("iframe[name=viewer]")
        viewer.locator("summary:has-text('Reject')").click()
        viewer.locator("input[name=reason]").fill(reason)
        viewer.locator("button:has-text('Reject')").click()
        viewer.locator("text=The document was rejected.").wait_for()

    def ask_for(self, kind, reason):
        """Ask for a document of the business."""
        self.page.locator("form[action*='/request_documents/']").locator(
            "xpath=ancestor::details[1]/summary"
        ).click()
        self.page.select_option("[name=what-1]", kind)
        self.take("request_documents", **{"reason-1": reason})


def judge_all(person, button, **values):
    """Choose all hits of a form, and press a button of the form."""
    page = person.page
    form = page.locator("form.judge-hits", has=page.locator(f"button:has-text('{button}')"))
    form.locator("button:has-text('Choose all')").click()
    for name, value in values.items():
        form.locator(f"[name={name}]").fill(value)
    with page.expect_response(re.compile("/(judge_hits|confirm_clearings)/")):
        form.locator(f"button:has-text('{button}')").click()
    page.locator("#hits .answer").wait_for()


def propose(reviewer, case):
    """Propose an approval, and return whether it stands: documents that come in void it.

    A document that was received after the checks makes them outdated: nobody can approve then.
    """
    reviewer.page.goto(case)
    if not reviewer.page.locator("form[action*='/approve/']").count():
        reviewer.take("rerun_checks")
        return False
    reviewer.open_documents()
    reviewer.take("approve", internal_text="The hit is somebody else: another date of birth.")
    return "proposed by" in reviewer.page.inner_text("main")


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    data = tmp_path_factory.mktemp("served")
    with served(data) as server:
        (data / "sdn.csv").write_text(ON_THE_LIST)
        server.manage("load_sanctions", str(data / "sdn.csv"))
        yield server


@pytest.fixture
def receiver(server, tmp_path):
    receiver = Receiver(tmp_path)
    yield receiver
    receiver.stop()


def stands(server, customer, status):
    """Say whether the partner is told that the application is in a status."""
    return server.call("GET", f"lead/{customer}").json()["status"] == status


def tells_of_the_account(receiver, customer):
    """Return what told the partner's server of the account, once it came."""
    came = receiver.received(customer=customer)
    return next((one for one in came if one["type"] == "account.opened"), None)


def test_two_people_of_staff_open_an_account(server, receiver, chromium):
    applicant = Applicant(chromium, locale="en-US")
    reviewer, approver = Colleague(chromium), Colleague(chromium)
    with working(server) as crew:
        receiver.register(server)
        created = server.call("PUT", "lead", LEAD).json()
        customer = created["customerId"]
        applicant.come_in(created["location"])
        fill_in_everything(applicant, ssn=FOR_REVIEW)
        applicant.sign("Ada Byron")
        applicant.go_to("status")
        crew.wait_until(lambda: stands(server, customer, "IN_REVIEW"))

        reviewer.sign_in(server, "REVIEWER")
        reviewer.open_case("Analytical Engines of New York LLC")
        case = reviewer.page.url
        reviewer.take("claim")
        reviewer.reject("The second page is missing.")
        reviewer.ask_for("OPERATING_AGREEMENT", "We need to see who decides.")
        applicant.page.reload()
        asked = applicant.page.inner_text("main")
        applicant.give({"EIN_PROOF": "whole-letter.pdf"}, SEND)
        applicant.page.wait_for_selector("#EIN_PROOF .files >> text=whole-letter.pdf")
        applicant.give(LATER, SEND)
        crew.wait_until(lambda: stands(server, customer, "IN_REVIEW"))
        reviewer.page.goto(case)
        reviewer.take("rerun_checks")  # of what came in since
        is_blocked = reviewer.page.locator("form[action*='/approve/']").count() == 0
        judge_all(reviewer, "Propose: false positive", reason="Born in another year.")
        own = reviewer.page.inner_text("#hits")
        approver.sign_in(server, "APPROVER")
        approver.page.goto(case)
        judge_all(approver, "Confirm: false positive")
        cleared = approver.page.inner_text("#hits")
        crew.wait_until(lambda: propose(reviewer, case))
        is_decided_alone = stands(server, customer, "APPROVED")
        approver.page.goto(case)
        approver.take("confirm")
        is_decided_by_two = stands(server, customer, "APPROVED")
        event = crew.wait_until(lambda: tells_of_the_account(receiver, customer))
        business = f"business_id IN ({OF_ADA})"
        accounts = crew.rows(f"{ACCOUNTS} AND {business}")

    assert "The second page is missing." in asked
    assert is_blocked
    assert "You proposed 2 of them." in own
    assert "All 2 cleared" in cleared
    assert (is_decided_alone, is_decided_by_two) == (False, True)
    assert sorted(accounts) == [("MAIN_ACCOUNT", "OPEN"), ("TAX_BUCKET", "OPEN")]
    assert event["is_verified"]
    assert "no fault" in server.manage("verify_audit")
    assert applicant.faults + reviewer.faults + approver.faults == []
