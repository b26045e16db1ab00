"""Partner appearance: the brand that applicants see, and the pages that may embed the flow."""

from functools import partial

from django.contrib import admin, messages
from django.contrib.admin.helpers import AdminForm
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.views.decorators.http import require_http_methods

from banking.admin.staff_changes import propose_change
from foundation.backoffice.screens import FactsAdmin
from onboarding.admin.appearance_forms import AppearanceForm
from onboarding.services.partners import appearance, destinations


class AppearanceScreen(FactsAdmin):
    """Display fields of a partner's appearance, and the form that changes them."""

    @admin.display(description="name for applicants")
    def for_applicants(self, partner):
        return partner.shown_name

    @admin.display(description="brand color")
    def colour(self, partner):
        if not partner.brand_color:
            return ""
        return format_html(
            '<svg width="28" height="14" aria-hidden="true"><rect width="28" height="14" rx="3"'
            ' fill="{}"/></svg> <code>{}</code>',
            partner.brand_color,
            partner.brand_color,
        )

    @admin.display(description="logo")
    def shown_logo(self, partner):
        if not partner.logo:
            return ""
        path = reverse("flow:logo", args=[partner.external_id])
        return format_html('<img src="{}?v={}" alt="" height="36">', path, partner.logo_version)

    @admin.display(description="pages that can show the application")
    def origins(self, partner):
        lines = ((origin,) for origin in partner.embed_origins)
        return format_html_join("", '<span class="line"><code>{}</code></span>', lines)

    def get_urls(self):
        guard = require_http_methods(["GET", "HEAD", "POST"])
        page = self.page("appearance", self.has_step_permission, guard=guard)
        return [page, *super().get_urls()]

    def appearance(self, request, partner):
        """Show the form of the appearance; save its values on POST.

        New origins, a new support email and a new return URL are not saved, but proposed to a
        second administrator. Returns None after a valid POST.
        """
        if request.method != "POST":
            return self._show_form(request, partner, AppearanceForm.of(partner))
        form = AppearanceForm(request.POST, request.FILES)
        if not form.is_valid():
            return self._show_form(request, partner, form)
        wanted, origins, values = destinations.split_new(partner, form.appearance)
        changes = _change(partner, form, wanted)
        if changes:
            self.log_change(request, partner, f"Appearance: {'; '.join(changes)}.")
            self.message_user(request, f"The appearance of {partner} was saved.", messages.SUCCESS)
        if origins or values:
            propose = partial(destinations.propose, partner, origins, values)
            propose_change(self, request, propose)
        return None

    def _show_form(self, request, partner, form):
        return self.show_page(
            request,
            "onboarding/partner/appearance",
            title="Appearance and embedding",
            partner=partner,
            adminform=AdminForm(form, form.GROUPS, {}, model_admin=self),
        )


def _change(partner, form, wanted):
    """Save the appearance and the logo of the form; return a phrase for each changed value."""
    changed = appearance.dress(partner, wanted)
    said = vars(wanted)
    changes = [f"{form[name].label.lower()} {_in_words(said[name])}" for name in changed]
    if form.cleaned_data["logo"]:
        appearance.set_logo(partner, form.cleaned_data["logo"])
        changes.append("new logo")
    elif form.cleaned_data["remove_logo"] and partner.logo:
        appearance.remove_logo(partner)
        changes.append("logo removed")
    return changes


def _in_words(value):
    if isinstance(value, bool):
        return "yes" if value else "no"
    return (
        " ".join(value)
        if isinstance(value, tuple)
        else str("" if value is None else value) or "none"
    )
