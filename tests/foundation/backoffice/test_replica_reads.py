"""Pages from a replica; `tests/foundation/database/test_replica.py` reads them from a real one."""

import pytest
from django.template.response import TemplateResponse

from foundation.backoffice import replica_reads

pytestmark = pytest.mark.one_database


def test_without_a_replica_a_view_is_called_as_ever(rf):
    request = rf.get("/")
    page = TemplateResponse(request, "admin/base.html")

    assert replica_reads.read_page(request, lambda: page) is page
    assert not page.is_rendered


def test_a_form_is_never_sent_to_a_replica(rf, settings):
    settings.DATABASE_REPLICA = {"NAME": "x"}

    assert replica_reads.read_page(rf.post("/"), lambda: "answered") == "answered"
