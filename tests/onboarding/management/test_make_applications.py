"""Applications made up by the command stand as if they had come about."""

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from onboarding.choices import DECIDED
from onboarding.choices import ApplicationStatus as Status
from onboarding.models import Application, Document, Event, Lead, Owner, Partner, Proposal
from onboarding.queries import evidence
from onboarding.queries.audit import find_faults
from onboarding.queries.documents import list_unopened
from onboarding.queries.leads import open_lead_file
from onboarding.queries.requirements import list_missing_documents
from onboarding.services.applications.expiry import list_overdue

pytestmark = pytest.mark.django_db


def test_so_many_are_made_and_their_audit_is_whole(capsys):
    call_command("make_applications", 120)

    assert Application.objects.count() == Lead.objects.count() == 120
    assert not list(find_faults())
    assert "made 120 applications" in capsys.readouterr().out


def test_they_stand_wherever_a_lifecycle_has_them():
    call_command("make_applications", 300)

    assert set(Application.objects.values_list("status", flat=True)) == set(Status.values)
    reviewed = Application.objects.filter(status=Status.IN_REVIEW)
    assert not reviewed.filter(due_at=None).exists()
    assert reviewed.filter(claimed_by__isnull=False, proposals__isnull=False).exists()
    assert not Application.objects.exclude(status=Status.IN_REVIEW).exclude(due_at=None).exists()
    assert not Application.objects.filter(status__in=DECIDED, decided_at=None).exists()
    assert not Event.objects.filter(occurred_at__gt=timezone.now()).exists()
    assert not list_overdue(at=timezone.now()).exists()  # the clock would end it at once


def test_a_second_run_adds_to_the_first():
    call_command("make_applications", 40)
    call_command("make_applications", 40)

    assert Application.objects.count() == 80
    assert Partner.objects.count() == 4


def test_the_same_seed_makes_the_same_businesses():
    call_command("make_applications", 20, seed=3)
    call_command("make_applications", 20, seed=3)

    names = list(Lead.objects.order_by("pk").values_list("business_name", flat=True))
    assert names[:20] == names[20:]


def test_nobody_real_is_among_them():
    call_command("make_applications", 40)

    for person in [*Lead.objects.all(), *Owner.objects.all()]:
        assert person.email.endswith("@example.com")
        assert person.ssn == "" or person.ssn[3:7] == "-00-"
    assert all(lead.phone_number[5:10] in {"", "55501"} for lead in Lead.objects.all())


def test_leads_of_other_names_share_no_file():
    call_command("make_applications", 60)

    shared = Document.objects.values_list("file", "lead__business_name").distinct()
    assert shared.count() == len({file for file, _ in shared})
    assert Document.objects.count() > 60
    assert Document.objects.first().file.read().startswith(b"%PDF")


def test_a_second_person_can_confirm_what_is_proposed():
    call_command("make_applications", 100)

    waiting = list(Proposal.objects.filter(status="OPEN"))
    assert waiting
    for proposal in waiting:
        assert proposal.evidence_digest == evidence.compute_digest(proposal.application)
    approvals = [proposal for proposal in waiting if proposal.kind == "APPROVE"]
    assert approvals
    for proposal in approvals:
        documents = proposal.application.lead.documents.all()
        assert documents
        assert list_unopened(documents, by=[proposal.proposed_by]) == []


def test_partners_are_told_of_nothing():
    call_command("make_applications", 40)

    leads = Lead.objects.values_list("published_sequence", "last_sequence")
    assert all(published == last for published, last in leads)


def test_production_has_none(settings):
    settings.IS_SANDBOX = False

    with pytest.raises(CommandError, match="Only a sandbox"):
        call_command("make_applications", 1)


def test_none_at_all_is_refused():
    with pytest.raises(CommandError, match="1 or more"):
        call_command("make_applications", "0")


def test_an_application_that_waits_for_documents_lacks_some():
    call_command("make_applications", 200)

    waiting = Application.objects.filter(status=Status.DOCUMENTS_REQUIRED)
    missing = [list_missing_documents(open_lead_file(one).requirements) for one in waiting]
    assert missing
    assert all(missing)
