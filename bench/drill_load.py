"""The load of the drill: leads with documents over the Lead API, postings, and calls of tools.

Django's modules are imported when they are used: the drill sets it up first.
"""

import json
from datetime import datetime
from io import StringIO


class Load:
    """A partner that registers leads with a document each, and an account with postings."""

    def __init__(self, leads: int) -> None:
        from django.core.management import call_command
        from django.utils import timezone

        from mcp_server.models import Connection
        from onboarding.services.partners import api_keys
        from tests.factories import make_account, make_user

        _record_secrets()
        partner = api_keys.create_partner(name="Drill")
        issued = api_keys.issue_api_key(partner, at=timezone.now())
        self._authorization = f"{issued.key.access_key}:{issued.secret}"
        self.account = make_account()
        self._assistant = Connection.objects.create(
            user=make_user(), client_name="Assistant", created_at=timezone.now()
        )
        self.acknowledged: list[str] = []
        self.lost = ""
        for _ in range(leads):
            self.register()
        call_command("anchor_audit", verbosity=0)

    def register(self) -> str:
        """Register a lead with a document, post, and log a call; return the lead's id."""
        from django.conf import settings
        from django.test import Client
        from django.utils import timezone

        from mcp_server.services import access_log
        from tests.bodies import document_data, lead_body

        number, now = len(self.acknowledged), timezone.now()
        body = {
            **lead_body(),
            "email": f"drill{number}@example.com",
            "uniqueId": f"drill-{number}",
            "documentUrls": [],
            "documentDataList": [document_data(f"%PDF-1.4 drill {number}".encode())],
        }
        answer = Client(SERVER_NAME="localhost").put(
            "/service/api/v1/lead",
            json.dumps(body),
            content_type="application/json",
            headers={
                "Authorization": f"{settings.LEAD_API_SCHEME} {self._authorization}",
                "Accept": "application/json",
            },
        )
        if answer.status_code != 201:
            raise RuntimeError(f"a create was answered {answer.status_code}: {answer.content!r}")
        self._post(number, now)
        access_log.record(
            connection_id=self._assistant.pk, tool="svc_list_accounts", business_ids=[],
            outcome="OK", duration_ms=5, request_id=f"drill-{number}", at=now,
        )  # fmt: skip
        customer_id = str(answer.json()["customerId"])
        self.acknowledged.append(customer_id)
        return customer_id

    def _post(self, number: int, now: datetime) -> None:
        from django.core.management import call_command

        call_command(
            "post", account=str(self.account.external_id), amount="12.50", key=f"drill-{number}",
            description=f"Drill {number}", stdout=StringIO(),
        )  # fmt: skip


def _record_secrets() -> None:
    from django.utils import timezone

    from banking.services import deployments, stores

    deployments.verify(at=timezone.now(), may_record=True)
    stores.claim_empty()
