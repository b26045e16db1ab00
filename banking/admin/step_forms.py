"""Step forms: forms by which staff take a step about a row, on a page of their own."""

from http import HTTPStatus

from banking.errors import StepRefused

TEMPLATE = "step_form"


def take(request, form, service, *, refusals=(StepRefused,), say=str):
    """Call a service with the cleaned data of a form that was sent.

    Returns the value that the service returned, else None, and the status of the page that shows
    the form again: None before the form was sent. `say` makes a refusal a text of the form.
    """
    if request.method != "POST":
        return None, None
    if not form.is_valid():
        return None, HTTPStatus.UNPROCESSABLE_ENTITY
    try:
        return service(form.cleaned_data), None
    except refusals as exc:
        form.add_error(None, say(exc))
        return None, HTTPStatus.CONFLICT
