"""The npm package as a partner installs it: packed, checked, bundled, shown in a browser."""

import json
import shutil
import subprocess

import pytest
from django.conf import settings

from config.demo_host import Handler, LeadApi
from onboarding.models import FlowSession
from onboarding.services.partners import appearance
from tests import factories
from tests.e2e import browsing, npm
from tests.e2e.test_embedded import Browser, serving

PACKAGE = settings.BASE_DIR / "packages" / "connect"
PAGES = settings.BASE_DIR / "tests" / "e2e" / "packages"
ESBUILD, TYPESCRIPT = "esbuild@0.28.2", "typescript@5.9.3"
REACT = "react-dom@19.3.1"
TYPES = ["@types/react@19.3.0", "@types/react-dom@19.3.0"]
STRICT = {
    "strict": True,
    "noEmit": True,
    "jsx": "react-jsx",
    "module": "esnext",
    "target": "es2022",
    "moduleResolution": "bundler",
    "skipLibCheck": False,
    "types": [],
}

pytestmark = [
    pytest.mark.one_database,
    pytest.mark.django_db(transaction=True),
]


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """The folder of a partner's project, with the packed package installed."""
    if not (program := shutil.which("npm")):
        browsing.require("there is no npm to pack the package with")
    folder = tmp_path_factory.mktemp("partner")
    run(program, "pack", "--pack-destination", folder, cwd=PACKAGE)
    [packed] = folder.glob("*.tgz")
    run("tar", "--extract", "--file", packed, cwd=folder)
    installed = folder / "node_modules" / "@vestibule" / "connect"
    installed.parent.mkdir(parents=True)
    (folder / "package").rename(installed)
    for package in [REACT, *TYPES]:
        for found in installed_by(package):
            target = folder / "node_modules" / found.relative_to(npm.modules(package))
            target.parent.mkdir(exist_ok=True)
            if not target.exists():
                target.symlink_to(found)
    for page in PAGES.iterdir():
        shutil.copy(page, folder)
    return folder


def installed_by(package):
    """Return the folders of a package and of what it needs."""
    names = [path for path in npm.modules(package).iterdir() if not path.name.startswith(".")]
    return [one for path in names for one in (path.iterdir() if path.name[0] == "@" else [path])]


def run(*command, cwd):
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def bundle(project, page):
    esbuild = npm.modules(ESBUILD) / "esbuild" / "bin" / "esbuild"
    define = '--define:process.env.NODE_ENV="development"'
    run(npm.node(), esbuild, page, "--bundle", "--outfile=app.js", define, cwd=project)
    return (project / "app.js").read_text()


class Page(Handler):
    """A partner's page whose script is a bundle."""

    bundle = ""

    def do_GET(self):  # noqa: N802 - the name that http.server calls
        if self.path == "/app.js":
            self._answer(self.bundle, "text/javascript; charset=utf-8")
        else:
            self._ask(self._page, "text/html; charset=utf-8")

    def _page(self):
        customer = self.server.api.create_lead()["customerId"]
        self.server.customers.add(customer)
        where = f'data-customer="{customer}" data-bank="{self.server.api.base_url}"'
        return f'<!doctype html><div id="root" {where}></div><script src="/app.js"></script>'


@pytest.fixture
def open_page(project, chromium, live_server, settings, monkeypatch):
    """Open the page with a bundle in a browser, on another site than the bank's."""
    settings.BASE_URL = live_server.url
    settings.CSRF_TRUSTED_ORIGINS = [live_server.url]
    partner = factories.make_partner()
    issued = factories.make_api_key(partner)
    monkeypatch.setattr("config.demo_host.Handler", Page)
    with serving(
        LeadApi(live_server.url, f"Vestibule {issued.key.access_key}:{issued.secret}")
    ) as host:
        appearance.admit_origins(partner, host.origins)
        browser = Browser(chromium)

        def open_page(name):
            monkeypatch.setattr(Page, "bundle", bundle(project, name))
            browser.page.goto(host.origins[0])
            return browser

        yield open_page
        browser.context.close()
        assert [error for error in browser.errors if "401" not in error] == []  # sessions end


def test_the_types_fit_pages_that_use_the_package(project):
    (project / "tsconfig.json").write_text(
        json.dumps({"compilerOptions": STRICT, "include": ["*.ts", "*.tsx"]})
    )
    compiler = npm.modules(TYPESCRIPT) / "typescript" / "bin" / "tsc"

    run(npm.node(), compiler, "--project", ".", cwd=project)


def test_a_react_page_shows_the_application_again_with_a_new_token(open_page):
    page = open_page("react_page.tsx").page
    frame = page.frame_locator("#root .wide iframe")
    frame.locator("#id_first_name").wait_for()
    page.locator("#toggle").get_by_text("you").click()
    page.locator("#root iframe").wait_for(state="detached")

    page.locator("#toggle").click()
    frame.locator("#id_first_name").wait_for()

    assert frame.locator("html[lang=es]").count() == 1
    assert page.get_attribute("#root iframe", "title") == "Cuenta de Ledgerly"
    assert page.evaluate("tokens") == 2  # one for each time, in React's strict mode, too
    assert page.evaluate("received.map(({ type }) => type)").count("ready") == 2
    assert page.locator("script[integrity]").count() == 1


def test_an_element_renews_an_ended_session_by_itself(open_page):
    page = open_page("element_page.ts").page
    frame = page.frame_locator("vestibule-application iframe")
    frame.locator("#id_first_name").fill("Augusta")
    FlowSession.objects.all().delete()

    frame.locator("main button.button").first.click()
    frame.locator("#summary").wait_for()

    assert frame.locator("#id_first_name").input_value() == "Augusta"
    assert FlowSession.objects.count() == 1
