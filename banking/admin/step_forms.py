"""Step forms: forms by which staff take a step about a row, on a page of their own."""

from http import HTTPStatus

from banking.errors import StepRefused

TEMPLATE = "step_form"


def take(request, form, service, *, refusals=(StepRefused,), say=str):
    """Call `service` with the cleaned data of a form, if the request sends the form.

    Returns a pair: the result of the service, or None; and the HTTP status for showing the form
    again, 422 for invalid data or 409 for one of the `refusals`, else None. `say` makes the text
    of the form's error from a refusal.
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
