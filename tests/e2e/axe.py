"""axe-core: it finds what keeps people with disabilities out of a page."""

from tests.e2e import npm

AXE = "axe-core@4.11.0"  # MPL-2.0; tests use it, nothing ships it
SETTLED = """Promise.allSettled(
    document.getAnimations()
        .filter((one) => one instanceof CSSTransition)
        .map((one) => one.finished)
).then(() => true)"""  # colours on their way from light to dark are neither
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]


def script():
    """Return axe-core as JavaScript."""
    return (npm.modules(AXE) / "axe-core" / "axe.min.js").read_text()


def findings(page, source):
    """Return what it finds on a page, or a frame of another site, as shown now: rule and place."""
    context = page.context if hasattr(page, "context") else page.page.context
    devtools = context.new_cdp_session(page)  # the content security policy forbids eval

    def run(expression):
        options = {"expression": expression, "awaitPromise": True, "returnByValue": True}
        return devtools.send("Runtime.evaluate", options)["result"].get("value")

    run(SETTLED)
    run(source)
    found = run(f"axe.run(document, {{runOnly: {RULES}}}).then((result) => result.violations)")
    devtools.detach()
    return [(one["id"], node["target"]) for one in found for node in one["nodes"]]
