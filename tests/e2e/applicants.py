"""An applicant at a browser, and what one answers in the flow."""

import re
from urllib.parse import urlsplit

from onboarding.choices import LegalText
from tests import factories

CODE = "000000"  # of the sandbox
LEAD = {
    "email": "ada@example.com",
    "firstName": "Ada",
    "lastName": "Byron",
    "businessName": "Analytical Engines LLC",
    "businessType": "MMLLC",
    "uboList": [{"email": "grace@example.com", "firstName": "Grace", "lastName": "Hoper"}],
}
YOU = {
    "phone_number": "202-555-0123",
    "birth_date": "1985-12-10",
    "ssn": "123-45-6789",
    "line1": "1 Main Street",
    "city": "New York",
    "state": "NY",
    "postal_code": "10001",
}
BUSINESS = {
    "business_name": "Analytical Engines of New York LLC",
    "ein": "12-3456789",
    "incorporation_state": "DE",
    "naics_code": "541511",
    "ownership_percent": "60",
    "title": "CEO",
    "business_address_line1": "2 Main Street",
    "business_address_city": "New York",
    "business_address_state": "NY",
    "business_address_postal_code": "10001",
}
GRACE = {
    "last_name": "Hopper",
    "phone_number": "202-555-0124",
    "birth_date": "1976-01-01",
    "ownership_percent": "25",
    "address_line1": "3 Main Street",
    "address_city": "Arlington",
    "address_state": "VA",
    "address_postal_code": "22201",
    "ssn": "223-45-6789",
}
ALAN = {
    **GRACE,
    "first_name": "Alan",
    "last_name": "Turing",
    "email": "alan@example.com",
    "phone_number": "202-555-0125",
    "ownership_percent": "15",
    "ssn": "323-45-6789",
}
FILES = {"ARTICLES_OF_ORGANIZATION": "articles.pdf", "EIN_PROOF": "ein.pdf"}
LATER = {"OPERATING_AGREEMENT": "operating-agreement.pdf"}
NEXT, SEND = "button[name=next]", "[data-send]"


def fill_day(page, name, day):
    """Type a date into its three inputs."""
    year, month, date = day.split("-")
    for end, part in (("", month), ("_day", date), ("_year", year)):
        page.fill(f"#id_{name}{end}", part)


class Applicant:
    """Somebody at a browser; what the console says and whom it asks is remembered."""

    def __init__(self, chromium, **options):
        self.context = chromium.new_context(**options)
        self.page = self.context.new_page()
        self.has_scripts = options.get("java_script_enabled", True)
        self.faults, self.hosts = [], set()
        self.page.on("console", lambda said: said.type == "error" and self.faults.append(said.text))
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("request", lambda asked: self.hosts.add(urlsplit(asked.url).netloc))

    def type(self, values):
        for name, value in values.items():
            if name.endswith("_date"):
                fill_day(self.page, name, value)
                continue
            field = self.page.locator(f"#id_{name}")
            if field.evaluate("field => field.tagName") == "SELECT":
                field.select_option(value)
            else:
                field.fill(value)

    def press(self, button="main .button"):
        self.page.locator(button).first.click()

    def go_to(self, step):
        # A browser keeps the fragment of the page before, such as #search, across a redirect.
        self.page.wait_for_url(re.compile(rf"/{step}(#\w+)?$"))

    def come_in(self, location):
        self.page.goto(location)
        self.press()
        self.page.fill("#id_code", CODE)
        self.press()

    def give(self, files, button):
        """Choose files; scripts send them at once, without them the button does."""
        for slot, name in files.items():
            content = factories.PDF + name.encode()
            file = {"name": name, "mimeType": "application/pdf", "buffer": content}
            self.page.set_input_files(f"#files-{slot}", file)
            if self.has_scripts:
                self.page.wait_for_selector(f"#{slot} .files", state="attached")
        if not self.has_scripts or button == NEXT:
            self.press(button)

    def sign(self, name):
        for text in LegalText:
            self.page.check(f"#id_{text}")
        self.page.fill("#id_signed_name", name)
        self.press("form[action$=review] .button")


def fill_in_everything(applicant, **you):
    """Go through the steps from the first one to the review; `you` differs from `YOU`."""
    applicant.go_to("you")
    applicant.type({**YOU, **you})
    applicant.press("form[action$=you] .button")
    applicant.go_to("business")
    applicant.page.check("[name=premises][value=OTHER]")
    applicant.type(BUSINESS)
    applicant.press("form[action$=business] .button")
    applicant.go_to("owners")
    others = ", ".join(f"[href$={name}]" for name in ("add", "ask", "invitation", "remove"))
    applicant.page.locator(f"a[href*='/owners/']:not({others})").click()
    applicant.type(GRACE)
    applicant.press("main form .button")
    applicant.go_to("owners")
    applicant.page.click("a[href$='owners/add']")
    applicant.type(ALAN)
    applicant.press("main form .button")
    applicant.go_to("owners")
    applicant.page.locator("input[name=person]").nth(1).check()
    applicant.press("form[action$=control] .button")
    applicant.go_to("documents")
    applicant.give(FILES, NEXT)
    applicant.go_to("review")
