"""Screening hits of the newest checks: each is unreviewed, and blocks an approval, as of now."""

from django.db import migrations
from django.db.models import Max


def create_hits(apps, _schema_editor):
    Application = apps.get_model("onboarding", "Application")
    Check = apps.get_model("onboarding", "Check")
    ScreeningHit = apps.get_model("onboarding", "ScreeningHit")
    numbers = Application.objects.filter(is_current=True).annotate(newest=Max("check_runs__number"))
    newest = dict(numbers.exclude(newest=None).values_list("pk", "newest"))
    warned = Check.objects.filter(code="SANCTIONS", result="WARN").select_related(
        "run__application__lead"
    )
    columns = ["lead__external_id", "lead__id"]
    for check in warned.only(
        "details", "ubo_id", "at", "run__number", *(f"run__application__{one}" for one in columns)
    ).iterator(chunk_size=500):
        run = check.run
        if newest.get(run.application_id) != run.number:
            continue
        lead = run.application.lead
        for hit in check.details.get("hits", []):
            ScreeningHit.objects.get_or_create(
                lead=lead,
                party_id=check.ubo_id or lead.external_id,
                subject=hit["of"],
                list_code="SDN",
                entry_number=hit["entry"],
                defaults={
                    "entry_name": hit["name"],
                    "matched": hit["matched"],
                    "programs": hit["programs"],
                    "score": hit["score"],
                    "found_at": check.at,
                },
            )


class Migration(migrations.Migration):

    dependencies = [("onboarding", "0057_screening_hits")]

    operations = [migrations.RunPython(create_hits, migrations.RunPython.noop)]
