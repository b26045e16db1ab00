"""Import all modules of a package, so that their decorators register tools, screens, models."""

import pkgutil
from importlib import import_module


def import_modules(package: str) -> None:
    """Import every module of a package, in the order of their names."""
    path = import_module(package).__path__
    for name in sorted(module.name for module in pkgutil.iter_modules(path)):
        import_module(f"{package}.{name}")
