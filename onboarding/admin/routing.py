"""Teams, routing rules and absences, which administrators change; each change is a staff event."""

from django import forms
from django.conf import settings
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.template.response import TemplateResponse
from django.urls import path
from django.utils import timezone
from django.utils.translation import get_language_info

from banking.choices import BusinessType
from foundation.backoffice.cells import table_of
from foundation.backoffice.lists import date_filter
from onboarding.admin.case_forms import StaffField
from onboarding.admin.staff_names import name_of
from onboarding.choices import Risk, RoutedWork
from onboarding.models import Absence, Partner, RoutingRule, Team
from onboarding.queries import routing
from onboarding.queries.staff import list_reviewers
from onboarding.services.routing_changes import record_change

PEOPLE = {"person", "user", "deputy"}


class RoutingTable(admin.ModelAdmin):
    """Base of the screens of teams, rules and absences.

    Only reviewers can be chosen as people, and each change is recorded as a staff event.
    """

    list_per_page = 100

    def formfield_for_foreignkey(self, db_field, request, **options):
        if db_field.name not in PEOPLE:
            return super().formfield_for_foreignkey(db_field, request, **options)
        label = db_field.verbose_name.capitalize()
        return StaffField(list_reviewers(), required=not db_field.null, label=label)

    def formfield_for_manytomany(self, db_field, request, **options):
        options |= {"queryset": list_reviewers(), "widget": forms.CheckboxSelectMultiple}
        return super().formfield_for_manytomany(db_field, request, **options)

    def get_actions(self, request):
        """Return no bulk action, so that rows are deleted one by one, each with an event."""
        return {}

    def save_related(self, request, form, formsets, change):
        super().save_related(request, form, formsets, change)
        verb = "Changed" if change else "Added"
        record_change(form.instance, verb, by=request.user, at=timezone.now())

    @transaction.atomic
    def delete_model(self, request, obj):
        """Delete a row, with an event that has its values."""
        record_change(obj, "Deleted", by=request.user, at=timezone.now())
        super().delete_model(request, obj)


@admin.register(Team)
class TeamAdmin(RoutingTable):
    list_display = ["name", "people"]
    search_fields = ["name"]

    def get_queryset(self, request):
        return super().get_queryset(request).prefetch_related("members")

    @admin.display(description="members")
    def people(self, team):
        return ", ".join(name_of(user) for user in team.members.all())


@admin.register(Absence)
class AbsenceAdmin(RoutingTable):
    list_display = ["who", "first_day", "last_day", "substitute"]
    list_filter = [date_filter("last_day")]
    list_select_related = ["user", "deputy"]

    @admin.display(description="who", ordering="user__last_name")
    def who(self, absence):
        return name_of(absence.user)

    @admin.display(description="deputy", ordering="deputy__last_name")
    def substitute(self, absence):
        return name_of(absence.deputy)


def list_languages():
    """Return the code and the English name of each language that applicants can read."""
    return [(code, get_language_info(code)["name"]) for code, _name in settings.LANGUAGES]


class RoutingRuleForm(forms.ModelForm):
    """Form for a routing rule, which sends cases to a team or to a person."""

    language = forms.TypedChoiceField(
        choices=lambda: [("", "---------"), *list_languages()],
        required=False,
        help_text=RoutingRule._meta.get_field("language").help_text,
    )

    def clean(self):
        given = super().clean()
        if bool(given.get("team")) == bool(given.get("person")):
            raise forms.ValidationError("Choose a team or a person.")
        return given


class TryForm(forms.Form):
    """Form for the facts of a made-up case, to see which rule fits."""

    work = forms.ChoiceField(choices=RoutedWork)
    partner = forms.ModelChoiceField(Partner.objects.order_by("name"))
    risk = forms.ChoiceField(choices=Risk)
    language = forms.ChoiceField(choices=list_languages)
    business_type = forms.ChoiceField(choices=BusinessType)


@admin.register(RoutingRule)
class RoutingRuleAdmin(RoutingTable):
    form = RoutingRuleForm
    change_list_template = "admin/onboarding/routingrule/change_list.html"
    list_display = ["position", "work", "partner", "risk", "reads", "business_type", "goal"]
    list_select_related = ["partner", "team", "person"]
    ordering = ["position"]
    fields = ["position", "work", "partner", "risk", "language", "business_type", "team", "person"]

    def get_urls(self):
        view = self.admin_site.admin_view(self.try_out)
        return [path("try/", view, name="onboarding_routingrule_try"), *super().get_urls()]

    @admin.display(description="language", ordering="language", empty_value="-")
    def reads(self, rule):
        return dict(list_languages()).get(rule.language, rule.language)

    @admin.display(description="goes to")
    def goal(self, rule):
        return goal_of(rule)

    def try_out(self, request):
        """Show the rules that fit a made-up case, and the person who would get the case now."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        form = TryForm(request.GET or None, label_suffix="")
        route, table = None, None
        if form.is_valid():
            facts = _facts(form.cleaned_data)
            route = routing.find_route(facts, at=timezone.now())
            table = _table(facts)
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": "Try the rules",
            "form": form,
            "is_tried": form.is_valid(),
            "rule": route and route.rule,
            "person": route and route.person and name_of(route.person),
            "table": table,
        }
        return TemplateResponse(request, "admin/onboarding/routingrule/try.html", context)


def goal_of(rule):
    """Return the name of the team or of the person of a rule."""
    return f"Team {rule.team}" if rule.team else name_of(rule.person)


def _facts(said):
    others = {name: said[name] for name in ("risk", "language", "business_type")}
    return routing.Facts(work=RoutedWork(said["work"]), partner_id=said["partner"].pk, **others)


def _table(facts):
    """Return a table of all rules, with where each sends cases and whether it fits the facts."""
    cells = {
        "Rule": lambda rule: str(rule.position),
        "Goes to": goal_of,
        "Fits": lambda rule: "Yes" if routing.fits(rule, facts) else "No",
    }
    return table_of("All rules", routing.list_rules(), cells, nothing="There are no rules.")
