"""The back office: one admin site for every app's screens."""

from django.contrib import admin


class BackOffice(admin.AdminSite):
    """The Django admin under the house's name."""

    site_header = "Vestibule back office"
    site_title = "Vestibule"
    index_title = "Back office"
