"""What most would write: a Celery task per delivery, a POST by requests, a row saved by the ORM.

It keeps no order, and what it has to send lives in the broker.
"""

import os

import requests
from celery import Celery
from standardwebhooks import Webhook as Signer

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("celery_webhooks", broker=os.environ["CELERY_BROKER_URL"])
app.conf.update(
    task_default_queue="celery_webhooks",
    task_ignore_result=True,
    task_acks_late=True,
    worker_prefetch_multiplier=1,
    worker_hijack_root_logger=False,
)


@app.task(bind=True, max_retries=10)
def deliver(self, delivery_id: int) -> None:  # noqa: ANN001 - Celery's task
    """Send a delivery and save what came of it."""
    from django.utils import timezone

    from onboarding.models import Delivery

    delivery = Delivery.objects.select_related("publication", "lane__webhook").get(pk=delivery_id)
    webhook, publication = delivery.lane.webhook, delivery.publication
    now = timezone.now()
    signature = Signer(webhook.signing_secret).sign(publication.message_id, now, publication.body)
    headers = {
        "Authorization": f"Bearer {webhook.token}",
        "Content-Type": "application/json",
        "webhook-id": publication.message_id,
        "webhook-timestamp": str(int(now.timestamp())),
        "webhook-signature": signature,
    }
    try:
        answer = requests.post(
            webhook.server_url, data=publication.body.encode(), headers=headers, timeout=15
        )
        answer.raise_for_status()
    except requests.RequestException as exc:
        raise self.retry(exc=exc, countdown=60) from exc
    delivery.status, delivery.status_code = "DELIVERED", answer.status_code
    delivery.attempts += 1
    delivery.next_attempt_at, delivery.finished_at = None, timezone.now()
    delivery.save()
