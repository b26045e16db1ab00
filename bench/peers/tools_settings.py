"""The settings of the bare views: our own, without our middleware."""

from config.settings import *  # noqa: F403 - nothing else differs

ROOT_URLCONF = "bench.peers.bare_tools"
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "django.middleware.common.CommonMiddleware",
]
