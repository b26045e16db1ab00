"""Models: the tables of onboarding, one module per noun."""

from onboarding.models.applications import Application
from onboarding.models.bank_keys import BankKey
from onboarding.models.checks import Check, CheckRun
from onboarding.models.clock_moves import ClockMove
from onboarding.models.consents import Consent, OwnerRecord, SignedRecord
from onboarding.models.customers import Customer, CustomerCase
from onboarding.models.decision_rules import DecisionRule, PolicyVersion
from onboarding.models.documents import Document, DocumentRule
from onboarding.models.escalations import Escalation
from onboarding.models.events import Event
from onboarding.models.form_drafts import FormDraft
from onboarding.models.holders import Holder, Stake
from onboarding.models.idempotency import IdempotencyRecord
from onboarding.models.leads import Lead
from onboarding.models.list_passes import ListPass, RecordCursor
from onboarding.models.mails import Mail
from onboarding.models.messages import MessageTemplate, Reply
from onboarding.models.notifications import MutedMail, Notification
from onboarding.models.owner_invitations import OwnerInvitation
from onboarding.models.owners import Owner
from onboarding.models.partners import ApiKey, Partner
from onboarding.models.phone_links import PhoneLink
from onboarding.models.publications import Publication
from onboarding.models.quality_checks import QualityCheck
from onboarding.models.reviews import Note, Proposal, SavedQueue
from onboarding.models.risks import RiskRule
from onboarding.models.routing import Absence, RoutingRule, Team
from onboarding.models.sanctions import SanctionsEntry, SanctionsList, SanctionsName
from onboarding.models.screening_hits import HitJudgement, ScreeningHit
from onboarding.models.sessions import AccessCode, FlowSession, ReplacedLink
from onboarding.models.verifications import (
    PartnerVerification,
    VerificationProvider,
    VerificationRequest,
)
from onboarding.models.webhooks import Delivery, DeliveryAttempt, Lane, Webhook
