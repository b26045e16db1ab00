"""Make a group for each role of staff."""

from django.contrib.auth.management import create_permissions
from django.db import migrations

CASES = """
onboarding.view_application onboarding.view_check onboarding.view_checkrun onboarding.view_consent
onboarding.view_delivery onboarding.view_deliveryattempt onboarding.view_document
onboarding.view_documentrule onboarding.view_event onboarding.view_lead
onboarding.view_mail onboarding.view_note onboarding.view_owner onboarding.view_partner
onboarding.view_proposal onboarding.view_riskrule onboarding.view_sanctionsentry
onboarding.view_sanctionslist onboarding.view_sanctionsname
""".split()
RECORDS = """
banking.view_account banking.view_accountant banking.view_bill banking.view_billattachment
banking.view_billpayment banking.view_business banking.view_businessaddress
banking.view_businessowner banking.view_card banking.view_category banking.view_clientaccess
banking.view_dunsregistration banking.view_entry banking.view_invoice banking.view_invoicediscount
banking.view_invoiceline banking.view_linkedaccount banking.view_location banking.view_merchant
banking.view_payee banking.view_paymentrule banking.view_plan banking.view_planbenefit
banking.view_posting banking.view_receipt banking.view_receiptline banking.view_referral
banking.view_securedcard banking.view_serviceitem banking.view_statement banking.view_subscription
banking.view_supplier banking.view_taxbucket banking.view_taxstatement
banking.view_termsacceptance banking.view_termsofservice banking.view_transaction
""".split()
MACHINERY = """
admin.view_logentry auth.view_group banking.view_job banking.view_user
mcp_server.view_accesslogentry mcp_server.view_connection onboarding.view_apikey
onboarding.view_lane onboarding.view_publication onboarding.view_webhook
""".split()
STEPS = """
onboarding.decide_application onboarding.reveal_number onboarding.review_application
""".split()
SECOND_STEPS = """
onboarding.confirm_application onboarding.reassign_application
""".split()
RUNNING = """
banking.add_user banking.change_user onboarding.add_apikey onboarding.add_documentrule
onboarding.add_partner onboarding.add_riskrule
onboarding.change_apikey onboarding.change_delivery onboarding.change_documentrule
onboarding.change_mail onboarding.change_partner onboarding.change_riskrule
onboarding.change_webhook onboarding.delete_documentrule
onboarding.delete_riskrule
""".split()
ROLES = {
    "Viewer": [*CASES, *RECORDS],
    "Reviewer": [*CASES, *RECORDS, *STEPS],
    "Approver": [*CASES, *RECORDS, *STEPS, *SECOND_STEPS],
    "Auditor": [*CASES, *RECORDS, *MACHINERY, "onboarding.export_audit"],
    "Administrator": [*CASES, *RECORDS, *MACHINERY, *RUNNING],
}
APPS = ["admin", "auth", "banking", "mcp_server", "onboarding"]


def add(apps, schema_editor):
    """Make the permissions, which Django would make after the last migration, then the groups."""
    database = schema_editor.connection.alias
    for label in APPS:
        _make_permissions(apps, label, database)
    groups = apps.get_model("auth", "Group").objects.using(database)
    for name, codenames in ROLES.items():
        group, _ = groups.get_or_create(name=name)
        group.permissions.set(_find(apps, database, codename) for codename in codenames)


def _make_permissions(apps, label, database):
    app = apps.get_app_config(label)
    module = getattr(app, "models_module", None)
    app.models_module = True  # which the app of a migration has not, and is skipped without
    create_permissions(app, apps=apps, using=database, verbosity=0)
    app.models_module = module


def _find(apps, database, codename):
    label, _, codename = codename.partition(".")
    permissions = apps.get_model("auth", "Permission").objects.using(database)
    return permissions.get(content_type__app_label=label, codename=codename)


def remove(apps, schema_editor):
    groups = apps.get_model("auth", "Group").objects.using(schema_editor.connection.alias)
    groups.filter(name__in=ROLES).delete()


class Migration(migrations.Migration):
    dependencies = [
        ("onboarding", "0011_risk_rules"),
        ("banking", "0010_account_end_date"),
        ("mcp_server", "0002_protect_access_log"),
        ("admin", "0003_logentry_add_action_flag_choices"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]
    operations = [migrations.RunPython(add, remove)]
