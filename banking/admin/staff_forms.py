"""The form of a member of staff, and sentences on the access and names that the form changes."""

from django import forms

MANY = {"groups": "role", "user_permissions": "permission"}
NAMES = ["first_name", "last_name"]


class StaffForm(forms.ModelForm):
    """A member of staff; the email address is kept in lower case."""

    def clean_email(self):
        return self.cleaned_data["email"].lower()


def proposed_access(form):
    """Return the additions of a form to the access of a user, with a sentence for each.

    Shape: `values` by field, added `groups` and `permissions`, and the sentences as `summary`.
    """
    said, had = form.cleaned_data, form.initial
    person = had.get("email", form.instance.email)
    sentences = {
        "email": f"The email address is now {said.get('email')} instead of {person}.",
        "is_active": f"The account of {person} is active again.",
        "is_superuser": f"{person} is a superuser.",
    }
    values = {name: said[name] for name in sentences if name in form.changed_data and said[name]}
    if "email" in values and values["email"] == had["email"]:
        del values["email"]  # the same address in upper case
    added = {name: sorted({*said.get(name, [])} - {*had.get(name, [])}, key=str) for name in MANY}
    summary = [sentences[name] for name in values]
    for name, noun in MANY.items():
        summary += [f"{person} was given a {noun}: {row}." for row in added[name]]
    return {
        "values": values,
        "groups": added["groups"],
        "permissions": added["user_permissions"],
        "summary": summary,
    }


def removed_access(form):
    """Return sentences about the access that a form takes from a user."""
    said, had = form.cleaned_data, form.initial
    person = had.get("email", form.instance.email)
    sentences = {
        "is_active": f"The account of {person} was deactivated.",
        "is_superuser": f"{person} is no longer a superuser.",
    }
    removed = [
        text for name, text in sentences.items() if had.get(name) and not said.get(name, True)
    ]
    for name, noun in MANY.items():
        lost = {*had.get(name, [])} - {*said.get(name, had.get(name, []))}
        removed += [f"{person} lost a {noun}: {row}." for row in sorted(lost, key=str)]
    return removed


def changed_names(form):
    """Return sentences about the names of a member of staff that a form changes."""
    person, said, had = form.instance.email, form.cleaned_data, form.initial
    return [
        f"The {name.replace('_', ' ')} of {person} is now “{said[name]}” instead of “{had[name]}”."
        for name in NAMES
        if name in form.changed_data
    ]
