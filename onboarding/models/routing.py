"""Routing: teams of staff, the rules that assign cases, and absences with deputies."""

from django.db import models
from django.db.models import F, Q

from banking.choices import BusinessType
from banking.models import User
from foundation.database.constraints import check
from onboarding.choices import Risk, RoutedWork
from onboarding.models.partners import Partner


class Team(models.Model):
    """Members of staff among whom rules divide cases: the member with the fewest gets the next."""

    name = models.CharField(max_length=60, unique=True)
    members = models.ManyToManyField(User, related_name="teams", blank=True)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class RoutingRule(models.Model):
    """A rule that gives cases with certain facts to a team or person. An empty column fits all.

    The first rule that fits counts, in the order of `position`.
    """

    position = models.PositiveSmallIntegerField(unique=True, help_text="The lowest comes first.")
    work = models.CharField(
        max_length=6, choices=RoutedWork, blank=True, help_text="Empty: every kind of work."
    )
    partner = models.ForeignKey(
        Partner, models.CASCADE, null=True, blank=True, related_name="routing_rules"
    )
    risk = models.CharField(max_length=6, choices=Risk, blank=True)
    language = models.CharField(
        max_length=10, blank=True, help_text="In which the applicant reads."
    )
    business_type = models.CharField(max_length=20, choices=BusinessType, blank=True)
    team = models.ForeignKey(Team, models.CASCADE, null=True, blank=True, related_name="rules")
    person = models.ForeignKey(User, models.CASCADE, null=True, blank=True, related_name="+")

    class Meta:
        ordering = ["position"]
        constraints = [
            check(
                "routingrule_leads_to_team_or_person",
                Q(team__isnull=False, person=None) | Q(team=None, person__isnull=False),
            ),
            check("routingrule_work_known", Q(work__in=["", *RoutedWork.values])),
            check("routingrule_risk_known", Q(risk__in=["", *Risk.values])),
            check(
                "routingrule_business_type_known",
                Q(business_type__in=["", *BusinessType.values]),
            ),
        ]

    def __str__(self) -> str:
        return f"routing rule {self.position}"


class Absence(models.Model):
    """Days, in New York, on which a deputy gets a colleague's new cases, and notifications, too."""

    user = models.ForeignKey(User, models.CASCADE, related_name="absences")
    first_day = models.DateField()
    last_day = models.DateField()
    deputy = models.ForeignKey(User, models.CASCADE, related_name="+")

    class Meta:
        ordering = ["-last_day", "pk"]
        constraints = [
            check("absence_ends_after_it_begins", Q(last_day__gte=F("first_day"))),
            check("absence_deputy_is_another", ~Q(deputy=F("user"))),
        ]

    def __str__(self) -> str:
        return f"absence {self.pk}"
