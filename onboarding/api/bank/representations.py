"""Responses of the record feed."""

from rest_framework import serializers

from banking.choices import FeedResult
from onboarding.api.serialization import Representation, Timestamp


class RecordLineSerializer(Representation):
    """A record to be stored: the whole of its data, or `removed`."""

    version = serializers.JSONField(help_text="An integer or an RFC 3339 timestamp that grows.")
    data = serializers.JSONField(help_text="See `GET …/kinds` for the fields of each kind.")
    removed = serializers.BooleanField(help_text="`true` removes the record; without `data`.")
    id = serializers.UUIDField(
        help_text="The id under which the tools show a new record; drawn unless given."
    )
    bind_to = serializers.UUIDField(
        help_text="The id of a record that was made here, which gets the external id of the path."
    )
    environment = serializers.CharField(help_text="Refused if it is not this environment.")


class OutcomeSerializer(Representation):
    """The result of a line, which is one record that was sent."""

    line = serializers.IntegerField(help_text="From 1.")
    kind = serializers.CharField(allow_null=True)
    external_id = serializers.CharField(allow_null=True)
    result = serializers.ChoiceField(FeedResult.choices)
    id = serializers.UUIDField(help_text="Under which the tools show the record.")
    errors = serializers.ListField(child=serializers.DictField(), help_text="Of a refused line.")


class RecordSerializer(Representation):
    """A stored record; of a removed record, its last data."""

    kind = serializers.CharField()
    external_id = serializers.CharField()
    id = serializers.UUIDField(allow_null=True)
    version = serializers.IntegerField(
        allow_null=True, help_text="Null of a record that no line has sent."
    )
    removed = serializers.BooleanField()
    data = serializers.JSONField(help_text="Account numbers are masked.")


class BatchSerializer(Representation):
    """A batch of lines, with the number of lines by result."""

    batch_id = serializers.UUIDField(source="external_id")
    source = serializers.CharField()
    kind = serializers.CharField(help_text="Empty for lines of several kinds.")
    is_atomic = serializers.BooleanField()
    line_count = serializers.IntegerField()
    counts = serializers.DictField(child=serializers.IntegerField())
    started_at = Timestamp()
    finished_at = Timestamp(allow_null=True, help_text="Null while it runs, and if it was cut off.")


class BatchListSerializer(Representation):
    """The newest 100 batches of this key, the newest first."""

    batches = BatchSerializer(many=True)


class ChangeSerializer(Representation):
    """A change of a record: it was created, updated or removed."""

    change_id = serializers.IntegerField(source="pk")
    kind = serializers.CharField()
    external_id = serializers.CharField()
    version = serializers.IntegerField()
    result = serializers.CharField()
    changed_at = Timestamp()


class ChangeListSerializer(Representation):
    """A page of changes of records, the oldest first."""

    changes = ChangeSerializer(many=True)
    next_after = serializers.IntegerField(help_text="The `after` of the next call.")
    has_more = serializers.BooleanField()


class KindSerializer(Representation):
    """A kind of record, and the JSON Schema of its data."""

    name = serializers.CharField()
    shows = serializers.ListField(child=serializers.CharField(), help_text="Where it shows.")
    schema = serializers.JSONField()


class KindListSerializer(Representation):
    """All kinds of records."""

    kinds = KindSerializer(many=True)
