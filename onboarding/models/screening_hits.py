"""Screening hits: parties with names like those on lists, and the judgements of them."""

from django.db import models
from django.db.models import F, Q

from banking.models import Business, User
from foundation.database.constraints import check, unique
from foundation.external_ids import ExternalIdModel
from onboarding.choices import HitStatus, HitSubject, ListCode, PartyKind, ProposalStatus
from onboarding.models.leads import Lead

SDN = ListCode.SDN.value
CONFIRMED_PEP = Q(list_code=ListCode.PEP.value, status=HitStatus.CONFIRMED.value)
OPEN_HIT = Q(is_current=True) & ~Q(status=HitStatus.FALSE_POSITIVE.value) & ~CONFIRMED_PEP

NO_REASONS = models.Value([], models.JSONField())


class ScreeningHit(ExternalIdModel):
    """A party and an entry of a list with a similar name. A pair has one row for ever.

    A party of a lead has the `party_id`: the external id of the applicant, of an owner, or of a
    trust or company that holds a share; the business has the applicant's. A party of the bank's
    records has the primary key of its row in `party_row`, in the table of its kind, and the
    `business` that it belongs to, if any. `entry` is a copy of the list's entry: kind, title,
    remarks, addresses and names. The facts of the party are not copied. `party_digest`, a keyed
    hash, and `entry_digest` fix both sides: the status holds until one of them changes, and `note`
    says which. A hit is not current if the newest checks lack it, unless it is confirmed.
    `judgement` is the judgement that set the status. Units: score, 0 to 100.
    """

    party_kind = models.CharField(
        "party",
        max_length=10,
        choices=PartyKind,
        default=PartyKind.LEAD,
        db_default=PartyKind.LEAD.value,
    )
    lead = models.ForeignKey(
        Lead, models.PROTECT, null=True, blank=True, related_name="screening_hits"
    )
    party_id = models.UUIDField("party's id", null=True, blank=True)
    party_row = models.BigIntegerField(null=True, blank=True)
    business = models.ForeignKey(Business, models.SET_NULL, null=True, blank=True, related_name="+")
    subject = models.CharField(max_length=8, choices=HitSubject)
    list_code = models.CharField("list", max_length=32, choices=ListCode, default=SDN)
    entry_number = models.PositiveIntegerField("entry")
    entry_name = models.CharField("name on the list", max_length=350)
    matched = models.CharField("similar name", max_length=350)
    programs = models.CharField(max_length=200, blank=True)
    score = models.FloatField()
    reasons = models.JSONField(default=list, db_default=NO_REASONS, blank=True)
    entry = models.JSONField(default=dict, blank=True)
    party_digest = models.CharField(max_length=64, blank=True, editable=False)
    entry_digest = models.CharField(max_length=64, blank=True, editable=False)
    status = models.CharField(max_length=14, choices=HitStatus, default=HitStatus.UNREVIEWED)
    judgement = models.ForeignKey(
        "HitJudgement", models.PROTECT, null=True, blank=True, related_name="+"
    )
    note = models.CharField(
        max_length=200, blank=True, help_text="Why a hit that was judged is unreviewed again."
    )
    is_current = models.BooleanField(default=True)
    found_at = models.DateTimeField("found")
    due_at = models.DateTimeField(
        "due",
        null=True,
        blank=True,
        help_text="Of a hit of the bank's records, until it is judged; a case has its own.",
    )

    class Meta:
        ordering = ["-score", "pk"]
        constraints = [
            unique(
                "screeninghit_pair_unique",
                *("lead", "party_id", "subject", "list_code", "entry_number"),
            ),
            unique(
                "screeninghit_record_pair_unique",
                *("party_kind", "party_row", "list_code", "entry_number"),
                condition=Q(party_row__isnull=False),
            ),
            check("screeninghit_party_kind_known", Q(party_kind__in=PartyKind.values)),
            check(
                "screeninghit_party_of_a_lead_or_of_records",
                Q(
                    party_kind=PartyKind.LEAD.value,
                    lead__isnull=False,
                    party_id__isnull=False,
                    party_row=None,
                )
                | Q(lead=None, party_row__isnull=False) & ~Q(party_kind=PartyKind.LEAD.value),
            ),
            check("screeninghit_subject_known", Q(subject__in=HitSubject.values)),
            check("screeninghit_status_known", Q(status__in=HitStatus.values)),
            check(
                "screeninghit_judgement_iff_reviewed",
                Q(status=HitStatus.UNREVIEWED.value) ^ Q(judgement__isnull=False),
            ),
        ]
        indexes = [
            models.Index(name="screeninghit_open", fields=["lead"], condition=OPEN_HIT),
            models.Index(name="screeninghit_entry", fields=["list_code", "entry_number"]),
            models.Index(name="screeninghit_queue", fields=["-score", "id"], condition=OPEN_HIT),
            models.Index(name="screeninghit_newest", fields=["-found_at", "-id"]),
        ]

    @property
    def is_pep(self) -> bool:
        """Return whether the entry is a politically exposed person, and under no sanctions."""
        return self.list_code == ListCode.PEP

    @property
    def is_open(self) -> bool:
        """Return whether the hit blocks an approval."""
        is_settled_pep = self.is_pep and self.status == HitStatus.CONFIRMED
        return self.is_current and self.status != HitStatus.FALSE_POSITIVE and not is_settled_pep


class HitJudgement(ExternalIdModel):
    """A verdict of staff about a screening hit, with its reason.

    A false positive is proposed, and counts once a second person has confirmed it; other verdicts
    count at once, without a `settled_by`. `evidence_digest` fixes what the first person saw.
    """

    hit = models.ForeignKey(ScreeningHit, models.PROTECT, related_name="judgements")
    verdict = models.CharField(max_length=14, choices=HitStatus)
    reason = models.CharField(max_length=500)
    evidence_digest = models.CharField(max_length=64)
    by = models.ForeignKey(User, models.PROTECT, related_name="+")
    at = models.DateTimeField()
    status = models.CharField(max_length=9, choices=ProposalStatus)
    settled_by = models.ForeignKey(User, models.PROTECT, null=True, blank=True, related_name="+")
    settled_at = models.DateTimeField(null=True, blank=True)
    settled_note = models.CharField(max_length=500, blank=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            unique(
                "hitjudgement_one_open",
                "hit",
                condition=Q(status=ProposalStatus.OPEN.value),
            ),
            check(
                "hitjudgement_verdict_known",
                Q(verdict__in=sorted(set(HitStatus.values) - {"UNREVIEWED"})),
            ),
            check("hitjudgement_status_known", Q(status__in=ProposalStatus.values)),
            check(
                "hitjudgement_settled_at_iff_not_open",
                Q(status=ProposalStatus.OPEN.value) ^ Q(settled_at__isnull=False),
            ),
            check(
                "hitjudgement_false_positive_by_two_people",
                ~Q(status=ProposalStatus.CONFIRMED.value)
                | ~Q(verdict=HitStatus.FALSE_POSITIVE.value)
                | (Q(settled_by__isnull=False) & ~Q(settled_by=F("by"))),
            ),
        ]
