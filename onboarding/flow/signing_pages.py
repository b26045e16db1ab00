"""Signing pages: a typed signature is kept until all of its fields are right."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, cast

from django.conf import settings
from django.core.exceptions import NON_FIELD_ERRORS
from django.http import HttpRequest, HttpResponse, QueryDict
from django.utils import timezone
from django.utils.functional import cached_property
from django.utils.translation import get_language

from onboarding import legal_texts
from onboarding.choices import LegalText
from onboarding.flow.form_pages import LEAVE, DraftPage, as_data, posted, sent_fields
from onboarding.flow.forms.signing import CHANGED, REFUSALS, SigningForm
from onboarding.flow.pages import go_to, stay
from onboarding.models import FlowSession
from onboarding.models.people import Person
from onboarding.services.leads.form_drafts import Draft, session_page
from onboarding.services.leads.submissions import Origin


class SigningPage(DraftPage, ABC):
    """A page that a person signs.

    Its draft belongs to the session: another session neither shows nor signs it, since a partner
    can open a session in a frame.
    """

    texts: Sequence[LegalText]
    form_class = SigningForm

    @property
    @abstractmethod
    def signer(self) -> Person:
        """Return the person who signs."""

    @property
    @abstractmethod
    def next_url(self) -> str:
        """Return the page after the signature."""

    @abstractmethod
    def state_of_answers(self) -> str:
        """Return a text that changes when an answer that the page shows is changed."""

    @abstractmethod
    def check(self, **signature: Any) -> None:
        """Check a signature without saving it. Raises: REFUSALS."""

    @abstractmethod
    def submit(self, **signature: Any) -> None:
        """Save a signature. Raises: REFUSALS."""

    @cached_property
    def page(self) -> str:
        return session_page(self.page_name, cast("FlowSession", self.journey.session))

    def keep_posted(self, session: FlowSession, request: HttpRequest, **kwargs: Any) -> bool:
        """Keep nothing: no later session may show the draft."""
        return False

    def loses(self, request: HttpRequest) -> bool:
        """Return whether a name was typed or a box was ticked."""
        data = sent_fields(request)
        return any(data.get(name, "").strip() for name in ("signed_name", *self.texts))

    def patch(self, request: HttpRequest, **kwargs: Any) -> HttpResponse:
        """Keep the typed name alone: a box is ticked anew after each change of the page."""
        name = Draft({"signed_name": sent_fields(request).getlist("signed_name")})
        self.keep((self.draft or Draft({})).joined(name))
        return stay(cast("FlowSession", self.journey.session))

    def post(self, request: HttpRequest) -> HttpResponse:
        self.require_editable()
        if self.then:
            self.keep(Draft({} if self.then == LEAVE else posted(request.POST)))
            return self.answer(request.path)
        return self.sign(self.signing_form(shown_language(request.POST), request.POST))

    def sign(self, form: SigningForm) -> HttpResponse:
        """Save the signature and redirect to `next_url`.

        If the signature is refused, keep the form and redirect to `page_url`.
        """
        meta = self.request.META
        origin = Origin(self.journey.session, meta["REMOTE_ADDR"], meta.get("HTTP_USER_AGENT", ""))
        submit = partial(self.submit, at=timezone.now(), origin=origin)
        if form.is_valid() and self._attempt(form, submit):
            self.keep(Draft({}))
            return go_to(self.next_url)
        self.keep_form(form)
        return go_to(self.page_url)

    @property
    def page_url(self) -> str:
        """Return the path of the page that shows a refused form again."""
        return self.journey.url(self.page_name)

    def keep_form(self, form: SigningForm) -> None:
        """Keep a posted form, with the state and the language that it refers to."""
        data = cast("QueryDict", form.data)
        self.keep(
            Draft(
                posted(data),
                version=f"{data.get('seen', '')} {shown_language(data)}",
                conflicts=["seen"] if CHANGED in form.non_field_errors() else [],
            )
        )

    def signing_form(self, language: str, data: QueryDict | None = None) -> SigningForm:
        """Return the form with the current texts in a language."""
        documents = [legal_texts.current(text, language) for text in self.texts]
        state = self.state_of_answers()
        return self.form_class(documents, language=language, state=state, data=data)

    def restored(self) -> SigningForm:
        """Return the form with the typed name.

        The checkboxes are kept only for the same texts and the same state of the answers.
        """
        language = get_language() or settings.LANGUAGE_CODE
        form = self.signing_form(language)
        draft, data = self.draft, as_data(self.draft)
        if draft is None or data is None:
            return form
        if draft.version != f"{form.state} {language}":
            form.initial["signed_name"] = data.get("signed_name", "")
            if "seen" in draft.conflicts:
                form.errors[NON_FIELD_ERRORS] = form.error_class([str(CHANGED)])
            return form
        bound = self.signing_form(language, data)
        if bound.is_valid():
            self._attempt(bound, self.check)
        return bound

    def _attempt(self, form: SigningForm, sign: Callable[..., Any]) -> bool:
        """Call `sign`; return whether it accepted the form, which otherwise gets the errors."""
        try:
            sign(
                signed_name=form.cleaned_data["signed_name"],
                agreed=form.agreed,
                language=form.language,
                seen=form.cleaned_data["seen"],
            )
        except REFUSALS as exc:
            form.refuse(exc, name=self.signer.full_name)
            return False
        return True


def shown_language(data: QueryDict | None) -> str:
    """Return the language in which the form's texts were shown."""
    language = data.get("language", "") if data else ""
    return language if language in dict(settings.LANGUAGES) else settings.LANGUAGE_CODE
