"""Kinds of records with lists: each entry of a list is a row of a table below the record's."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, ClassVar

from django.db import transaction
from django.db.models import ForeignKey, Model, QuerySet
from pydantic.alias_generators import to_camel

from banking.feed.plain import PlainKind, validate
from banking.feed.registry import D, Work
from banking.feed.schemas import Data
from foundation.database.inserts import insert


class CompositeKind(PlainKind[D]):
    """A plain kind whose records have lists; each entry of a list is a row, called a part.

    A line that changes the record replaces all parts. `part_models` has the model of the parts by
    the name of the list. A model with the field `position` numbers the parts of a list from 1.
    """

    part_models: ClassVar[Mapping[str, type[Model]]]

    def part_values(self, work: Work[D], part: Data) -> dict[str, Any]:
        """Return the columns, by name, of the row for `part`, an entry of one of the lists."""
        return {name: getattr(part, name) for name in type(part).model_fields}

    def save(self, works: Sequence[Work[D]], *, at: datetime) -> None:
        parts = {work.line.number: self._part_rows(work) for work in works}
        super().save(works, at=at)
        good = [work for work in works if not work.faults]
        self._remove_parts([work.row.pk for work in good if work.had_row])
        rows = [self._below(row, work.row) for work in good for row in parts[work.line.number]]
        if rows:
            insert(*rows)

    def remove(self, row: Any, *, at: datetime) -> None:
        with transaction.atomic():
            self._remove_parts([row.pk])
            super().remove(row, at=at)

    def represent(self, row: Any) -> dict[str, Any]:
        data = super().represent(row)
        for name, alias in self.schema.parts:
            rows = self._parts_of(self.part_models[name], [row.pk])
            names = self.schema.part_types[name].model_fields
            data[alias] = [{to_camel(one): getattr(part, one) for one in names} for part in rows]
        return data

    def _part_rows(self, work: Work[D]) -> list[Model]:
        """Return the unsaved rows of the lists of a line; refuse the line for invalid values."""
        rows = []
        for name, alias in self.schema.parts:
            model = self.part_models[name]
            counts = any(field.name == "position" for field in model._meta.fields)
            for place, part in enumerate(getattr(work.data, name)):
                given = {"position": place + 1} if counts else {}
                row = model(**self.part_values(work, part), **given)
                validate(row, work, alias, place)
                rows.append(row)
        return rows

    def _remove_parts(self, keys: Sequence[int]) -> None:
        for model in self.part_models.values() if keys else ():
            self._parts_of(model, keys).delete()

    def _parts_of(self, model: type[Model], keys: Sequence[int]) -> "QuerySet[Any]":
        order = ["position"] if any(f.name == "position" for f in model._meta.fields) else ["pk"]
        return QuerySet(model).filter(**{f"{self._parent(model)}__in": keys}).order_by(*order)

    def _below(self, part: Model, row: Model) -> Model:
        setattr(part, self._parent(type(part)), row)
        return part

    def _parent(self, model: type[Model]) -> str:
        """Return the name of the foreign key of a part to its record."""
        return next(
            field.name
            for field in model._meta.fields
            if isinstance(field, ForeignKey) and field.related_model is self.model
        )
