"""Focus: whether what the keyboard reaches on a page can be seen."""

COVERED = """() => {
    const focused = document.activeElement;
    const {left, top, width, height} = focused.getBoundingClientRect();
    const shown = document.elementFromPoint(left + width / 2, top + height / 2);
    return shown?.contains(focused) || focused.contains(shown) ? "" : focused.outerHTML;
}"""  # WCAG 2.2, 2.4.11


def list_obscured_controls(page, controls="main :is(input, summary, a, button):visible"):
    """Return the controls that are covered by others when the keyboard reaches them in turn."""
    found = []
    for _control in range(page.locator(controls).count()):
        page.keyboard.press("Tab")
        found.append(page.evaluate(COVERED))
    return [name for name in found if name]
