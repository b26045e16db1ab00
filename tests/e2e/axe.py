"""axe-core: it finds what keeps people with disabilities out of a page."""

import json

from tests.e2e import npm

AXE = "axe-core@4.11.0"  # MPL-2.0; tests use it, nothing ships it
SETTLED = """Promise.allSettled(
    document.getAnimations()
        .filter((one) => one instanceof CSSTransition)
        .map((one) => one.finished)
).then(() => true)"""  # colours on their way from light to dark are neither
# axe-core keeps each channel of each color in a weak map of its own. Thousands of colors make that
# costly for the garbage collector: a property of the color holds the same.
WITH_PROPERTIES = """
((WeakMap, WeakSet) => {%s
})(...Array(2).fill(class {
    #name = Symbol();
    constructor(entries = []) { for (const [object, value] of entries) this.set(object, value); }
    has(object) { return Object.hasOwn(object, this.#name); }
    get(object) { return object[this.#name]; }
    set(object, value) { object[this.#name] = value; return this; }
    add(object) { return this.set(object, true); }
    delete(object) { return this.has(object) && delete object[this.#name]; }
}));"""
# axe-core parses the few colors of a page again for each element.
PARSE_ONCE = """
;{
    const colors = new Map(), { prototype } = axe.commons.color.Color, { parseString } = prototype;
    prototype.parseString = function (text) {
        if (!colors.has(text)) {
            const { r, g, b, alpha } = parseString.call(this, text);
            colors.set(text, { r, g, b, alpha });
        }
        return Object.assign(this, colors.get(text));
    };
}"""
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
COLOR_RULES = ["color-contrast", "link-in-text-block"]
SCHEMES = {"light": RULES, "dark": COLOR_RULES}  # a dark page differs in its colors alone


def script():
    """Return axe-core as JavaScript, made light for pages of many colors."""
    source = (npm.modules(AXE) / "axe-core" / "axe.min.js").read_text()
    return WITH_PROPERTIES % source + PARSE_ONCE


def findings(page, source, rules=RULES):
    """Return the violations of a page, or a frame of another site, as shown now: rule and place.

    Frames within it have no script that could answer: each is audited by a call of its own.
    """
    context = page.context if hasattr(page, "context") else page.page.context
    devtools = context.new_cdp_session(page)  # the content security policy forbids eval

    def run(expression):
        options = {"expression": expression, "awaitPromise": True, "returnByValue": True}
        return devtools.send("Runtime.evaluate", options)["result"].get("value")

    if run("typeof axe") == "undefined":  # a document keeps the script that it has
        run(source)
    run(SETTLED)
    options = json.dumps({"runOnly": rules, "resultTypes": ["violations"], "iframes": False})
    found = run(f"axe.run(document, {options}).then((result) => result.violations)")
    devtools.detach()
    return [(one["id"], node["target"]) for one in found for node in one["nodes"]]
