"""The pages after the submission: status, questions, withdrawal."""

from contextlib import suppress

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import get_language

from onboarding import legal_texts
from onboarding.choices import ApplicationStatus, LegalText, Role
from onboarding.event_types import EventType
from onboarding.flow.form_pages import DraftPage, as_data, posted
from onboarding.flow.forms.questions import REPLY, AnswersForm
from onboarding.flow.journeys import Journey
from onboarding.flow.pages import FlowPage, go_to
from onboarding.flow.slots import list_slots
from onboarding.flow.steps.review import list_missing
from onboarding.models import Application, Consent, Note, Reply
from onboarding.queries.consents import list_consents
from onboarding.queries.events import list_events
from onboarding.queries.leads import LeadFile
from onboarding.queries.messages import can_reply, explain_denial, list_messages
from onboarding.queries.requirements import Kind
from onboarding.queries.sign_ins import SignIn, get_user
from onboarding.queries.steps import Step
from onboarding.services.applications import attempts
from onboarding.services.applications.attempts import ApplicationClosed, CustomerAlreadyOnboarded
from onboarding.services.applications.lifecycle import InvalidMove
from onboarding.services.leads import questions
from onboarding.services.leads.form_drafts import STATUS, Draft
from onboarding.services.leads.signed_records import has_record
from onboarding.services.reviews import messages
from onboarding.services.reviews.messages import NotAnswerable

IN_HISTORY = [one for one in EventType if one.spec.applicant_text]


class Status(DraftPage):
    """The status of the application and the items still required."""

    page_name = STATUS

    def get(self, request: HttpRequest) -> HttpResponse:
        journey, file = self.journey, self.journey.file()
        application = journey.application
        status = ApplicationStatus(application.status)
        can_send = status.takes_documents and not status.is_editable
        slots = list_slots(journey, file) if can_send else []
        messages_to_you = list(list_messages(application))
        asked = questions_of(file) if can_send else []
        draft = self.draft if asked or messages_to_you else None
        form = AnswersForm(
            asked,
            as_data(draft),
            has_reply=bool(messages_to_you),
            can_reply=bool(messages_to_you) and can_reply(application),
            is_reply_sent=bool(draft and draft.version == REPLY),
        )
        is_signed = application.submitted_at is not None and has_record(application)
        return self.show(
            request,
            "status",
            step="status",
            watched=status.value,
            standing=f"onboarding/flow/standings/{status.lower()}.html",
            deadline=application.deadline,
            phone=settings.BANK_PHONE,
            messages_to_you=messages_to_you,
            thread=_thread(application),
            sign_in=SignIn.of(get_user(application)) if application.account_id else None,
            explanation=explain_denial(application) if status == ApplicationStatus.DENIED else "",
            slots=slots,
            upload_url=journey.url("documents"),
            is_wanted=any(slot.is_missing for slot in slots),
            unproved=list_unproved(file),
            form=form,
            form_id=self.form_id if form.fields else "",
            draft=draft,
            missing=list_missing(journey, file) if status.is_editable else [],
            events=[
                (EventType(one.type).spec.applicant_text, one)
                for one in list_events(application, of=IN_HISTORY)
            ],
            consents=[signed(journey, consent) for consent in list_consents(application)],
            signed_url=journey.url("signed") if is_signed else "",
            can_withdraw=Role.APPLICANT in status.roles_moving_to(ApplicationStatus.WITHDRAWN),
            urls={name: journey.url(name) for name in ("review", "answers", "withdraw")},
        )


class Answers(Status):
    """Save answers to questions asked after the submission, or an answer to the bank's messages."""

    def get(self, request: HttpRequest) -> HttpResponse:
        return go_to(self.journey.url("status"))

    def post(self, request: HttpRequest) -> HttpResponse:
        journey, url = self.journey, self.journey.url("status")
        typed = posted(request.POST)
        is_reply = self.then == REPLY
        form = AnswersForm(
            [] if is_reply else questions_of(journey.file()),
            request.POST,
            has_reply=is_reply,
            is_reply_sent=is_reply,
        )
        if (self.then and not is_reply) or not form.is_valid():
            self.keep(Draft(typed, version=REPLY if is_reply else ""))
            return self.answer(url)
        if is_reply:
            return self._reply(form, typed)
        self.keep(Draft({name: given for name, given in typed.items() if name == REPLY}))
        # the next page shows a refusal
        with suppress(ApplicationClosed, CustomerAlreadyOnboarded):
            questions.answer_questions(journey.application, form.answers, at=timezone.now())
        return go_to(url)

    def _reply(self, form: AnswersForm, typed: dict[str, list[str]]) -> HttpResponse:
        """Send the reply, and keep the other fields; keep the reply, too, if it is refused."""
        text = form.cleaned_data[REPLY]
        try:
            messages.add_reply(self.journey.application, text, at=timezone.now())
        except NotAnswerable:
            self.keep(Draft(typed, version=REPLY))
        else:
            rest = {name: given for name, given in typed.items() if name != REPLY and any(given)}
            self.keep(Draft(rest))
        return go_to(f"{self.journey.url('status')}#messages")


class Withdraw(FlowPage):
    """Withdraw the application after a confirmation."""

    @property
    def back_url(self) -> str:
        return self.journey.url(Step.REVIEW if self.journey.is_editable else "status")

    def get(self, request: HttpRequest) -> HttpResponse:
        journey = self.journey
        status = ApplicationStatus(journey.application.status)
        if Role.APPLICANT not in status.roles_moving_to(ApplicationStatus.WITHDRAWN):
            return go_to(journey.url("status"))
        return self.show(request, "withdraw")

    def post(self, request: HttpRequest) -> HttpResponse:
        with suppress(InvalidMove):  # the next page shows the status
            attempts.withdraw_application(self.journey.application, at=timezone.now())
        return go_to(self.journey.url("status"))


def _thread(application: Application) -> list[Note | Reply]:
    """Return the bank's messages and the applicant's answers, the newest first."""
    both: list[Note | Reply] = [*list_messages(application), *application.replies.all()]
    return sorted(both, key=lambda one: one.at, reverse=True)


def questions_of(file: LeadFile) -> list[str]:
    """Return the unanswered questions of enhanced due diligence."""
    return [str(one.message) for one in file.requirements if one.kind == Kind.EDD]


def list_unproved(file: LeadFile) -> list[str]:
    """Return the names, else emails, of people who must prove their identity."""
    people = {person.ubo_id: person for person in file.people}
    asked = [people[one.ubo_id] for one in file.requirements if one.kind == Kind.IDENTITY]
    return [person.full_name or person.email for person in asked]


def signed(journey: Journey, consent: Consent) -> tuple[Consent, str, str]:
    """Return the consent with the title of its text and the page that shows it."""
    text = LegalText(consent.text)
    language = get_language() or settings.LANGUAGE_CODE
    title = legal_texts.read(text, consent.version, language).title
    return consent, title, journey.url("legal", text=text)
