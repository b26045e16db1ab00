"""Staff events as a source of anchors."""

from banking.models import StaffEvent
from foundation.anchoring.sources import RangeSource, register

register(RangeSource("staff_events", StaffEvent, ["number", "previous_digest", "digest"]))
