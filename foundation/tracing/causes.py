"""The cause of a row of due work: the request and the trace that it belongs to."""

from django.db import models


class CausedModel(models.Model):
    """A model with the request id and the W3C trace context of its cause; None if unknown."""

    request_id = models.CharField(  # noqa: DJ001 - rows of an earlier release have none
        max_length=128, null=True, editable=False
    )
    traceparent = models.CharField(  # noqa: DJ001 - as above
        max_length=55, null=True, editable=False
    )

    class Meta:
        abstract = True
