"""The rules of the house that a machine can check; each failure says what to do."""

import ast
import io
import re
import tokenize
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
APPS = {  # and the packages that each may import
    "foundation": {"foundation"},
    "banking": {"banking", "foundation"},
    "onboarding": {"onboarding", "banking", "foundation"},
    "mcp_server": {"mcp_server", "banking", "foundation"},
}
FOUNDATION, RECORDS, MIDDLE, EDGE = range(4)
LAYERS = {
    "models": RECORDS,
    **dict.fromkeys(["queries", "services", "feed", "demo", "screening"], MIDDLE),
    **dict.fromkeys(["registry", "docs_generator", "record_kinds_table"], MIDDLE),
    **dict.fromkeys(["caller", "protocol", "oauth"], MIDDLE),
    **dict.fromkeys(["api", "flow", "tools", "admin", "tasks", "management"], EDGE),
    **dict.fromkeys(["views", "urls", "pages", "periodic"], EDGE),
}  # whatever else lies beside them is the foundation: choices, money, errors, validators, …
NOT_LAYERED = {"apps", "migrations", "__init__"}
MIRRORED = ("services", "queries", "tools")
DRAWERS = {"core", "common", "util", "utils", "helper", "helpers", "misc"}
LOCK_FILES = ["uv.lock", "pylock*.toml", "poetry.lock", "Pipfile.lock", "package-lock.json"]
FOLDERS = [*APPS, "config", "tests", "bench"]
WHOLE_ADDRESSES = {
    "onboarding.api.authentication",  # a key's networks; the service counts by network
    "onboarding.flow.signing_pages",  # a signature's record
}
NOQA = re.compile(r"#\s*noqa(?!: [A-Z]+\d+(, [A-Z]+\d+)* - \S)", re.IGNORECASE)
IGNORE = re.compile(r"#\s*type:\s*ignore(?!\[[a-z-]+(, [a-z-]+)*\]  # \S)")


@dataclass(frozen=True)
class Import:
    """That a module imports another."""

    source: str
    target: str
    place: str

    @property
    def apps(self) -> tuple[str, str]:
        return self.source.split(".")[0], self.target.split(".")[0]

    @property
    def parts(self) -> tuple[str, str]:
        return (self.source + ".__init__").split(".")[1], (self.target + ".__init__").split(".")[1]

    @property
    def layers(self) -> tuple[int, int]:
        source, target = (LAYERS.get(part, FOUNDATION) for part in self.parts)
        return source, target


@cache
def python_files() -> list[Path]:
    return sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


@cache
def imports(*, of: str) -> list[Import]:
    """Return what the modules of one app import, wherever in the file."""
    return [
        Import(name_of(path), target, f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 0)}")
        for path in python_files()
        if name_of(path).startswith(f"{of}.")
        for node in ast.walk(ast.parse(path.read_text()))
        for target in imported(node)
    ]


def imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        return [f"{node.module}.{alias.name}" for alias in node.names]
    return []


def comments(path: Path) -> Iterator[tuple[str, str]]:
    """Yield each comment of a file with its place."""
    for token in tokenize.generate_tokens(io.StringIO(path.read_text()).readline):
        if token.type == tokenize.COMMENT:
            yield token.string, f"{path.relative_to(ROOT)}:{token.start[0]}"


def report(rule: str, faults: list[str]) -> None:
    if faults:
        pytest.fail("\n  ".join([rule, *faults]), pytrace=False)


@pytest.mark.parametrize("app", APPS)
def test_apps_import_in_one_direction(app):
    strangers = {*APPS, "config", "tests"} - APPS[app]
    faults = [f"{i.place} imports {i.target}" for i in imports(of=app) if i.apps[1] in strangers]

    report(
        f"{app} may import {' and '.join(sorted(APPS[app]))} only; config is wiring that nobody "
        "imports (use django.conf.settings). Move the code to the app it belongs to:",
        faults,
    )


@pytest.mark.parametrize("app", APPS)
def test_layers_import_downwards(app):
    faults = [
        f"{i.place} ({i.parts[0]}) imports {i.target} ({i.parts[1]})"
        for i in imports(of=app)
        if i.apps[1] in APPS and i.parts[0] not in NOT_LAYERED and i.layers[0] < i.layers[1]
    ]

    report(
        "Imports go down: choices, errors, validators and the like <- models <- queries, services "
        "<- api, flow, tools, admin, tasks, management. Pass the value in as an argument, or move "
        "the function down:",
        faults,
    )


@pytest.mark.parametrize("app", APPS)
def test_edges_do_not_import_each_other(app):
    web = {"views": "http", "urls": "http"}
    faults = [
        f"{i.place} ({i.parts[0]}) imports {i.target}"
        for i in imports(of=app)
        if i.apps[1] in APPS
        and i.parts[0] not in NOT_LAYERED
        and i.layers == (EDGE, EDGE)
        and len({web.get(part, part) for part in i.parts}) > 1
    ]

    report("Edges meet in services and queries. Move what both need there:", faults)


@pytest.mark.parametrize("app", APPS)
def test_queries_import_no_services(app):
    faults = [
        f"{i.place} imports {i.target}"
        for i in imports(of=app)
        if i.parts[0] == "queries" and i.target.split(".")[1:2] == ["services"]
    ]

    report(
        "A query reads and depends on nothing that writes. Move the function to services, or the "
        "fact that both need to choices or models:",
        faults,
    )


@pytest.mark.parametrize("app", APPS)
def test_each_service_query_tool_and_module_of_the_foundation_has_its_tests(app):
    modules = [
        path
        for path in python_files()
        if path.relative_to(ROOT).parts[0] == app
        and (app == "foundation" or path.relative_to(ROOT).parts[1] in MIRRORED)
        and path.stem not in {"__init__", "base"}  # a backend is tested under its package's name
    ]
    mirrors = [path.relative_to(ROOT).parent / f"test_{path.name}" for path in modules]

    report(
        "Write the tests that mirror the module:",
        [f"tests/{mirror}" for mirror in mirrors if not (ROOT / "tests" / mirror).exists()],
    )


def test_no_module_is_a_drawer():
    drawers = [path for path in python_files() if DRAWERS & set(name_of(path).split("."))]

    report("A helper lives with the noun it helps; rename or move:", [*map(name_of, drawers)])


def test_each_exception_to_a_rule_has_a_reason():
    faults = [
        f"{place}  {comment}"
        for path in python_files()
        for comment, place in comments(path)
        if NOQA.search(comment) or IGNORE.search(comment)
    ]

    report("Write `# noqa: S101 - why` or `# type: ignore[arg-type]  # why`:", faults)


def test_limits_see_networks_and_no_addresses():
    faults = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in python_files()
        if name_of(path).split(".")[0] in APPS and name_of(path) not in WHOLE_ADDRESSES
        for tree in [ast.parse(path.read_text())]
        for node in set(addresses_in(tree))
        - {
            node
            for call in ast.walk(tree)
            if isinstance(call, ast.Call) and "network_of" in ast.unparse(call.func)
            for node in addresses_in(call)
        }
    ]

    report("A caller has 2^64 IPv6 addresses; write network_of(…) around:", faults)


def addresses_in(tree: ast.AST) -> Iterator[ast.AST]:
    return (node for node in ast.walk(tree) if getattr(node, "value", "") == "REMOTE_ADDR")


def test_no_lock_file_lies_beside_the_requirements():
    found = [path for pattern in LOCK_FILES for path in ROOT.glob(pattern)]

    report("It records a package registry's host; delete:", [path.name for path in found])


@pytest.mark.parametrize(
    "name",
    [
        "requirements.txt",
        "requirements-tracing.txt",
        "requirements-dev.txt",
        "requirements-audit.txt",
    ],
)
def test_requirements_name_no_package_registry(name):
    options = re.compile(r"://|^\s*-(?!-hash=)")
    lines = enumerate((ROOT / name).read_text().splitlines(), start=1)

    report(
        "Requirements hold names, versions and hashes only; run `make lock` and remove:",
        [f"{name}:{number} {line}" for number, line in lines if options.search(line)],
    )


def test_requirements_hold_what_the_project_names():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    named = {
        "requirements.txt": project["project"]["dependencies"],
        "requirements-dev.txt": project["dependency-groups"]["dev"],
        "requirements-audit.txt": project["dependency-groups"]["audit"],
    }
    faults = [
        f"{package} is not in {file}"
        for file, packages in named.items()
        for package in packages
        if not re.search(rf"^{bare(package)}==", (ROOT / file).read_text(), re.MULTILINE)
    ]

    report("Run `make lock`:", faults)


def bare(requirement: str) -> str:
    return re.split(r"[\[<>=~! ]", requirement)[0].lower().replace("_", "-")
