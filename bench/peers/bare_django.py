"""Creating a lead by a bare Django view: what the framework alone costs.

The key is checked, JSON is read and nothing validated; the rows are written by one statement.
"""

import json
from datetime import UTC, datetime

from django.db import connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt

from bench.peers import keys
from bench.peers.raw_rows import KEY, insert, new_rows

INSERT = insert()


@csrf_exempt
def create_lead(request: HttpRequest) -> HttpResponse:
    """Register an applicant."""
    now = datetime.now(UTC)
    try:
        access_key, secret = keys.read_credentials(request.headers.get("Authorization", ""))
    except keys.Unauthorized:
        return HttpResponse(status=401)
    with connection.cursor() as cursor:
        cursor.execute(KEY, [access_key])
        row = cursor.fetchone()
        if row is None or not keys.opens(row[0], secret) or row[1] <= now or row[2] or row[3]:
            return HttpResponse(status=401)
        (lead, application, owners, event), access = new_rows(json.loads(request.body), row[4], now)
        rows = [lead, application, owners, event]
        cursor.execute(INSERT, [json.dumps(row) for row in rows])
    answer = {
        "customerId": lead["external_id"],
        "personId": lead["external_id"],
        "partnerSuppliedId": lead["unique_id"],
        "uboData": [
            {"email": owner["email"], "uboId": owner["external_id"], "status": "PENDING"}
            for owner in owners
        ],
        "applicationId": application["external_id"],
        "status": "CREATED",
        "metadata": lead["metadata"],
        "location": access.location,
        "locationExpiresAt": application["link_expires_at"],
        "token": access.token,
        "tokenExpiresAt": application["token_expires_at"],
        "warnings": [],
    }
    return JsonResponse(answer, status=201)


urlpatterns = [path("service/api/v1/lead", create_lead)]
