"""The settings of the plain bulk view: our own, without our middleware."""

from config.settings import *  # noqa: F403 - nothing else differs

ROOT_URLCONF = "bench.peers.plain_feed"
DATA_UPLOAD_MAX_MEMORY_SIZE = 64 * 1024**2
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "django.middleware.common.CommonMiddleware",
]
