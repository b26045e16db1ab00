"""Plain kinds of records: the base of kinds whose records become rows of one table."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, ClassVar

from django.core.exceptions import NON_FIELD_ERRORS, ValidationError
from django.db import transaction
from django.db.models import ForeignKey, Model, ProtectedError
from pydantic.alias_generators import to_camel

from banking.feed import references
from banking.feed.faults import FaultCode, fault, refused
from banking.feed.registry import D, Kind, Work
from banking.signals import status_began
from foundation.database.inserts import insert
from foundation.external_ids import ExternalIdModel
from foundation.privacy.fields import EncryptedField
from foundation.privacy.masks import mask

FIXED_VALUE = "A record keeps this value; send a new record instead."
NO_ID = "Records of this kind have no id but the external id."


class PlainKind(Kind[D]):
    """A kind whose fields are columns of the same name; a reference is a foreign key.

    `columns` names the column of a field whose name is another one, `elsewhere` the fields that
    are no columns. `fixed` names fields that no line can change. `identity` names columns: a row
    that no line has sent and that has the same values in them becomes the record of a new line. A
    subclass may check and complete rows in `complete`, and name in `announced` the statuses for
    which the signal `status_began` is sent when a row gets them.
    """

    columns: ClassVar[Mapping[str, str]] = {}
    elsewhere: ClassVar[frozenset[str]] = frozenset()
    announced: ClassVar[frozenset[str]] = frozenset()

    def __init__(
        self,
        name: str,
        schema: type[D],
        model: type[Model],
        *,
        shows: Iterable[str],
        fixed: Iterable[str] = (),
        identity: Iterable[str] = (),
    ) -> None:
        self.name, self.schema, self.model, self.shows = name, schema, model, tuple(shows)
        self.fixed, self.identity = tuple(fixed), tuple(identity)

    def complete(self, works: Sequence[Work[D]], *, at: datetime) -> None:
        """Set further columns of the unsaved rows, or refuse lines. For subclasses to override."""

    def save(self, works: Sequence[Work[D]], *, at: datetime) -> None:
        self._find_unnamed_rows([work for work in works if work.row is None])
        earlier = {work.row.pk: work.row.status for work in works if work.row and self.announced}
        for work in works:
            if work.row is None:
                work.row = self._new_row(work)
            self._refuse_other_values(work)
            for name, value in self._values(work).items():
                setattr(work.row, name, value)
        self.complete(works, at=at)
        for work in works:
            if not work.faults:
                validate(work.row, work)
        good = [work for work in works if not work.faults]
        insert(*(work.row for work in good if not work.had_row))
        for work in good:
            if work.had_row:
                work.row.save()
        self._announce([work.row for work in good], earlier, at=at)

    def remove(self, row: Any, *, at: datetime) -> None:
        try:
            with transaction.atomic():
                row.delete()
        except ProtectedError:
            reason = "Other records refer to this record; remove them first."
            raise refused(FaultCode.NOT_REMOVABLE, reason=reason) from None

    def represent(self, row: Any) -> dict[str, Any]:
        marks = {name: kind for name, _, kind in self.schema.reference_fields}
        data = {}
        for name in self._names:
            value = getattr(row, self._column(name))
            if name in marks:
                value = references.external_ids_of(marks[name], [value]).get(value)
            elif isinstance(row._meta.get_field(self._column(name)), EncryptedField):
                value = mask(value)
            data[to_camel(name)] = value
        return data

    @property
    def _names(self) -> list[str]:
        """Return the names of the fields that are columns."""
        others = {*self.elsewhere, *(name for name, _ in self.schema.parts)}
        return [name for name in self.schema.model_fields if name not in others]

    def _find_unnamed_rows(self, works: Sequence[Work[D]]) -> None:
        """Give each line the stored row with the same values in the `identity` columns, if any.

        A row that another external id was sent for is refused later, by `refuse_second_ids`.
        """
        if not works or not self.identity:
            return
        wanted = {work.line.number: self._identity_of(work) for work in works}
        first = {f"{self.identity[0]}__in": {identity[0] for identity in wanted.values()}}
        rows = self.rows().filter(**first).order_by("pk")
        found = {tuple(getattr(row, name) for name in self.identity): row for row in rows}
        for work in works:
            work.row = found.get(wanted[work.line.number])
            work.had_row = work.row is not None

    def _identity_of(self, work: Work[D]) -> tuple[Any, ...]:
        values = self._values(work)
        return tuple(values[name] for name in self.identity)

    def _refuse_other_values(self, work: Work[D]) -> None:
        """Refuse a line that changes a `fixed` field of a stored row."""
        values = self._values(work)
        for name in self.fixed if work.had_row else ():
            if values[self._column(name)] != getattr(work.row, self._column(name)):
                work.refuse(FIXED_VALUE, to_camel(name))

    def _announce(self, rows: Sequence[Any], earlier: Mapping[int, str], *, at: datetime) -> None:
        """Send `status_began` per announced status, with the rows that did not have it before."""
        for status in self.announced:
            begun = [row for row in rows if row.status == status != earlier.get(row.pk)]
            if begun:
                status_began.send(self.model, rows=begun, at=at)

    def _new_row(self, work: Work[D]) -> Model:
        if not work.line.id:
            return self.model()
        if issubclass(self.model, ExternalIdModel):
            return self.model(external_id=work.line.id)
        work.faults.append(fault(FaultCode.VALUE_REFUSED, "id", reason=NO_ID))
        return self.model()

    def _column(self, name: str) -> str:
        column = self.columns.get(name, name)
        field = self.model._meta.get_field(column)
        return field.attname if isinstance(field, ForeignKey) else column

    def _values(self, work: Work[D]) -> dict[str, Any]:
        """Return the values of the line by column; for a reference, the primary key of its row."""
        marks = {name: kind for name, _, kind in self.schema.reference_fields}
        return {
            self._column(name): work.target(marks[name], value) if name in marks else value
            for name in self._names
            for value in [getattr(work.data, name)]
        }


def validate(row: Model, work: Work[Any], *above: str | int) -> None:
    """Run the validators of an unsaved row's columns, and refuse the line of `work` for each fault.

    The database checks constraints later, when the row is saved. `above` is the path from the
    record to the row, for example `("lines", 0)`; empty for the record itself.
    """
    skipped = [field.name for field in row._meta.fields if isinstance(field, ForeignKey)]
    try:
        row.clean_fields(exclude=skipped)
    except ValidationError as exc:
        for name, messages in exc.message_dict.items():
            path = above if name == NON_FIELD_ERRORS else (*above, to_camel(name))
            for message in messages:
                work.refuse(message, *path)
