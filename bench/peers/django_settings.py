"""The settings of the Django peers; `PEER` names the module that has their URLs."""

import os

from psycopg.conninfo import conninfo_to_dict

_parts = conninfo_to_dict(os.environ["DATABASE_URL"])
PEER = os.environ["PEER"]
SECRET_KEY = "only the bench knows it"
ALLOWED_HOSTS = ["127.0.0.1"]
USE_TZ, TIME_ZONE = True, "UTC"
ROOT_URLCONF = f"bench.peers.{PEER}"
INSTALLED_APPS = ["bench.peers", *(["rest_framework"] if PEER == "plain_drf" else [])]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "django.middleware.common.CommonMiddleware",
]
DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": _parts["dbname"],
        "USER": _parts["user"],
        "PASSWORD": _parts.get("password", ""),
        "HOST": _parts["host"],
        "PORT": str(_parts.get("port", "")),
        "CONN_MAX_AGE": None,
    }
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
DATA_UPLOAD_MAX_MEMORY_SIZE = 64 * 1024**2
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [],
    "DEFAULT_PERMISSION_CLASSES": [],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "UNAUTHENTICATED_USER": None,
}
