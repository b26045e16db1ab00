"""Message templates: the screen on which administrators write the texts."""

from django.contrib import admin

from onboarding.models import MessageTemplate
from onboarding.validators import PLACEHOLDERS


@admin.register(MessageTemplate)
class MessageTemplateAdmin(admin.ModelAdmin):
    list_display = ["name", "is_for_notes", "text"]
    list_filter = ["is_for_notes"]
    search_fields = ["name", "text", "text_es"]
    list_per_page = 50

    def get_form(self, request, obj=None, change=False, **options):
        names = ", ".join(f"{{{name}}}" for name in PLACEHOLDERS)
        options["help_texts"] = dict.fromkeys(["text", "text_es"], f"You can use {names}.")
        return super().get_form(request, obj, change, **options)
