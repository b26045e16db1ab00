"""The look that a partner chooses for the applicant's pages: colour, font and corners."""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from onboarding.choices import Font

READABLE: Final = 4.5  # Source: WCAG 2.2, 1.4.3, text
VISIBLE: Final = 3.0  # Source: WCAG 2.2, 1.4.11, non-text elements
WHITE, BLACK = "#ffffff", "#000000"
LIGHT: Final = ["#ffffff", "#f4f7f8", "#fff4d6", "#fdf0f0", "#e2f6ec"]  # backgrounds of flow.css
DARK: Final = ["#1a2327", "#11181b", "#3d3212", "#3a1d1d", "#123d2b"]
COLOR: Final = re.compile(r"#[0-9a-f]{6}")
RADIUS_MAX: Final = 24  # pixels
FONTS: Final = {
    Font.SANS: '"Segoe UI", system-ui, Roboto, "Helvetica Neue", Arial, sans-serif',
    Font.SERIF: 'ui-serif, Georgia, Cambria, "Times New Roman", serif',
    Font.ROUNDED: 'ui-rounded, "SF Pro Rounded", Nunito, "Arial Rounded MT Bold", sans-serif',
}


@dataclass(frozen=True)
class Theme:
    """The look that a partner has chosen. The bank's look replaces an empty value or None."""

    brand: str  # #rrggbb, on which white text is readable
    font: str  # of Font
    radius: int | None  # of the corners of fields and buttons, in pixels

    @property
    def stylesheet(self) -> str:
        """Return a style sheet that sets CSS custom properties; empty if nothing was chosen."""
        properties = _colors(self.brand) if self.brand else {}
        if self.font:
            properties["--font"] = FONTS[Font(self.font)]
        if self.radius is not None:
            properties["--radius"] = f"{self.radius}px"
        lines = "".join(f"  {name}: {value};\n" for name, value in properties.items())
        return f":root {{\n{lines}}}\n" if lines else ""

    @property
    def version(self) -> str:
        """Return a hash of the style sheet, for its URL; empty without a style sheet."""
        sheet = self.stylesheet
        return hashlib.sha256(sheet.encode()).hexdigest()[:16] if sheet else ""


def _colors(brand: str) -> dict[str, str]:
    dark_brand = tone(brand, on=DARK[:2], ratio=VISIBLE)  # coloured notes have no buttons
    link = tone(brand, on=LIGHT, ratio=READABLE)
    dark_link = tone(brand, on=DARK, ratio=READABLE)
    return {
        "--brand": f"light-dark({brand}, {dark_brand})",
        "--brand-ink": WHITE,
        "--link": f"light-dark({link}, {dark_link})",
    }


def tone(color: str, *, on: Sequence[str], ratio: float) -> str:
    """Return the colour, mixed with as little black or white as the contrast `ratio` needs.

    The result has that contrast, or more, on each background in `on`.
    """
    end = max(BLACK, WHITE, key=lambda each: contrast(each, on[0]))
    tones = (_mix(color, end, percent) for percent in range(101))
    return next(each for each in tones if min(contrast(each, ground) for ground in on) >= ratio)


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio, 1 to 21, of two `#rrggbb`. Source: WCAG 2.2, "contrast ratio"."""
    darker, lighter = sorted([_luminance(one), _luminance(other)])
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(color: str) -> float:
    """Return the relative luminance, 0 to 1. Source: WCAG 2.2, "relative luminance"."""
    red, green, blue = (_linear(part / 255) for part in _parts(color))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(part: float) -> float:
    return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4


def _mix(color: str, end: str, percent: int) -> str:
    mixed = (
        round(start + (stop - start) * percent / 100)
        for start, stop in zip(_parts(color), _parts(end), strict=True)
    )
    return "#" + "".join(f"{part:02x}" for part in mixed)


def _parts(color: str) -> tuple[int, int, int]:
    red, green, blue = bytes.fromhex(color.removeprefix("#"))
    return red, green, blue
