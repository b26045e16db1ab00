"""What staff fill in to take a step in a case."""

from datetime import timedelta

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import Q
from django.utils import timezone

from banking.choices import UserType
from banking.models import User
from onboarding.choices import CheckCode, CheckResult, DenialReason, LlcFileType
from onboarding.models import Document, Owner, Proposal
from onboarding.services.checks.screenings import SAY_WHAT_YOU_FOUND
from onboarding.services.reviews.decisions import TEMPORARY_LIFETIME

LONGEST = 500  # characters of a note beside a check or a proposal
LONGEST_TEXT = 4000
DAY = timedelta(days=1)
LONGEST_TIME = timedelta(days=365)  # of an approval for the time being


def text_field(label, *, rows=3, **options):
    """Return a field for a few sentences."""
    options = {"max_length": LONGEST_TEXT, **options}
    return forms.CharField(label=label, widget=forms.Textarea(attrs={"rows": rows}), **options)


class StepForm(forms.Form):
    """What a step asks for: nothing, unless the form says more. `intro` stands above its fields."""

    intro = ""

    def __init__(self, *args, application, name, **options):
        self.application = application
        super().__init__(*args, auto_id=f"{name}-%s", label_suffix="", **options)


class ApproveForm(StepForm):
    """Asks why an application is approved."""

    internal_text = text_field("Why", help_text="For staff and auditors only.")


class ApproveTemporarilyForm(ApproveForm):
    """Asks why an application is approved for the time being, and until when."""

    field_order = ["expiration_date", "internal_text"]
    expiration_date = forms.DateField(
        label="Until",
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        help_text="The account's last day, unless the application is approved before.",
    )

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        today = timezone.now().date()
        until = self.fields["expiration_date"]
        until.initial = today + TEMPORARY_LIFETIME
        until.widget.attrs["min"] = f"{today + DAY:%Y-%m-%d}"

    def clean_expiration_date(self):
        until = self.cleaned_data["expiration_date"]
        if not DAY <= until - timezone.now().date() <= LONGEST_TIME:
            raise ValidationError("Choose a day to come, within a year.")
        return until


class ReasonsWidget(forms.CheckboxSelectMultiple):
    """The reasons of a denial, each with what the applicant is told of it."""

    def create_option(self, name, value, *args, **options):
        option = super().create_option(name, value, *args, **options)
        option["attrs"]["data-text"] = str(DenialReason(value).applicant_text)
        return option


class DenyForm(StepForm):
    """Asks for the reasons of a denial: in codes, for staff, and for the applicant."""

    reasons = forms.MultipleChoiceField(
        label="Reasons",
        choices=DenialReason,
        widget=ReasonsWidget,
        help_text="The partner is told these codes.",
    )
    internal_text = text_field("Why", help_text="For staff and auditors only.")
    applicant_text = text_field(
        "What the applicant is told",
        rows=4,
        required=False,
        help_text="Left empty: the texts of the reasons chosen.",
    )

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.fields["applicant_text"].widget.attrs["data-texts-of"] = "reasons"

    def clean_reasons(self):
        return [DenialReason(code) for code in self.cleaned_data["reasons"]]


class RequestDocumentsForm(StepForm):
    """Asks which documents are wanted: those of which the applicant is told why."""

    intro = "Say why for each that is wanted. What the checklist misses is asked for with them."

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        for kind in LlcFileType:
            self.fields[kind.value] = forms.CharField(
                label=str(kind.label),
                max_length=LONGEST,
                required=False,
                widget=forms.TextInput(
                    attrs={"placeholder": "Why it is wanted", "autocomplete": "off"}
                ),
            )


class RequestIdentityForm(StepForm):
    """Asks whose identity must be proved."""

    people = forms.MultipleChoiceField(label="Who", widget=forms.CheckboxSelectMultiple)

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        lead = self.application.lead
        self.known = {str(person.external_id): person for person in [lead, *people_of(lead)]}
        names = [(key, person.full_name or person.email) for key, person in self.known.items()]
        limit(self, "people", choices=names)

    def clean_people(self):
        return [self.known[key] for key in self.cleaned_data["people"]]


class StaffField(forms.ModelChoiceField):
    """A choice of staff by name."""

    def label_from_instance(self, obj):
        return obj.get_full_name() or obj.email


class ReassignForm(StepForm):
    """Asks who gets the case."""

    to = StaffField(User.objects.none(), label="To")

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        limit(self, "to", queryset=reviewers())


class ProposalForm(StepForm):
    """Names the proposal that was on the page, so that no other one is settled."""

    proposal = forms.ModelChoiceField(Proposal.objects.none(), widget=forms.HiddenInput)

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        limit(self, "proposal", queryset=self.application.proposals.all())


class RefuseForm(ProposalForm):
    """Asks why a proposal is refused."""

    note = text_field("Why not", max_length=LONGEST, help_text="For staff and auditors only.")


class ReviewHitsForm(StepForm):
    """Asks for the finding of a member of staff about new hits."""

    note = text_field("Finding", max_length=LONGEST, help_text="For staff and auditors only.")


class NoteForm(StepForm):
    """Asks for a note."""

    text = text_field("New note")
    is_for_applicant = forms.BooleanField(
        label="Send it to the applicant", required=False, help_text="By mail, as it is."
    )


class TickForm(StepForm):
    """Asks what staff found out about one item."""

    code = forms.ChoiceField(choices=CheckCode)
    result = forms.ChoiceField(choices=CheckResult)
    note = forms.CharField(max_length=LONGEST, error_messages={"required": SAY_WHAT_YOU_FOUND})


class DocumentForm(StepForm):
    """Names a document of the lead."""

    document = forms.ModelChoiceField(Document.objects.none())

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        limit(self, "document", queryset=self.application.lead.documents.all())


class RejectDocumentForm(DocumentForm):
    """Asks why a document is rejected."""

    reason = forms.CharField(max_length=255)


class ChangeKindForm(DocumentForm):
    """Asks what a document is."""

    kind = forms.ChoiceField(choices=LlcFileType)


class RevealForm(StepForm):
    """Asks which number must be read, and what for."""

    person = forms.UUIDField()
    field = forms.CharField(max_length=32)
    reason = forms.CharField(max_length=200)

    def clean_person(self):
        wanted, lead = self.cleaned_data["person"], self.application.lead
        if lead.external_id == wanted:
            return lead
        owner = lead.owners.filter(external_id=wanted).first()
        if owner is None:
            raise ValidationError("There is no such person.")
        return owner


def limit(form, name, **values):
    """Give a field of a form what it may be."""
    for attribute, value in values.items():
        setattr(form.fields[name], attribute, value)


def people_of(lead):
    """Return the other owners, without opening their numbers."""
    sealed = ["ssn", "passport_number", "id_gov_number"]
    return Owner.objects.filter(lead=lead).order_by("pk").defer(*sealed)


def reviewers():
    """Return who may be handed a case."""
    staff = User.objects.filter(is_active=True, user_type=UserType.STAFF)
    may = (
        Q(is_superuser=True)
        | Q(user_permissions__codename="review_application")
        | Q(groups__permissions__codename="review_application")
    )
    return staff.filter(may).distinct().order_by("first_name", "last_name", "pk")
