"""Categories of transactions."""

from django.db import models
from django.db.models import Q

from banking.choices import CategoryType
from foundation.database.constraints import check


class Category(models.Model):
    """A category of expenses or of income."""

    code = models.CharField(max_length=24, primary_key=True)
    display_name = models.CharField(max_length=100)
    category_type = models.CharField(max_length=8, choices=CategoryType)

    class Meta:
        verbose_name_plural = "categories"
        constraints = [
            check("category_type_known", Q(category_type__in=CategoryType.values)),
        ]

    def __str__(self) -> str:
        return self.display_name
