"""Modules that are imported for what they register."""

import sys

from foundation.modules import import_modules


def test_every_module_of_a_package_is_imported():
    sys.modules.pop("onboarding.demo.cast", None)

    import_modules("onboarding.demo")

    assert "onboarding.demo.cast" in sys.modules
