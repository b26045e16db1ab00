"""Customers, reviews, hits and mails of all applications: rows for `bench.back_office`.

Each approved application has a customer, and each customer a review, of which one in thirty is
open. Each lead has a screening hit, of which one in forty is current, and each application three
mails. One approval in twenty has a quality check. A member of staff has notifications of 10,000
cases.
"""

from django.db import transaction

from banking.choices import UserType
from banking.models import User
from bench.scale.tables import execute

BUSINESSES = """
INSERT INTO banking_business (external_id, legal_name, business_type, filing_status,
    incorporation_state, tax_state, email, phone_number, website, created_at)
SELECT gen_random_uuid(), lead.business_name, 'LLC', '', 'NY', 'NY', lead.email, '', '',
    application.decided_at
FROM onboarding_application application JOIN onboarding_lead lead ON lead.id = application.lead_id
WHERE application.status = 'APPROVED' ORDER BY application.decided_at
"""
CUSTOMERS = """
INSERT INTO onboarding_customer (external_id, status, risk, review_due_on, since, application_id,
    business_id, lead_id)
SELECT gen_random_uuid(), 'ACTIVE', CASE WHEN lead.id % 20 = 0 THEN 'HIGH' ELSE 'LOW' END,
    CURRENT_DATE + (lead.id % 365)::int, business.created_at, application.id, business.id, lead.id
FROM banking_business business JOIN onboarding_lead lead USING (email)
JOIN onboarding_application application ON application.lead_id = lead.id
WHERE application.status = 'APPROVED' ORDER BY business.id
"""
CASES = """
INSERT INTO onboarding_customercase (external_id, kind, status, causes, content, changed,
    document_ids, opened_as, opened_at, due_at, outcome, new_risk, denial_reason, is_for_partner,
    reason, evidence_digest, decided_at, closed_at, customer_id, assignee_id, decided_by_id)
SELECT gen_random_uuid(), 'PERIODIC', CASE WHEN is_open THEN 'OPEN' ELSE 'CLOSED' END, '[]', '',
    '[]', '[]', 'CLOCK', at, at + interval '7 days', CASE WHEN is_open THEN '' ELSE 'NO_CHANGE' END,
    '', '', false, '', '', closed_at, closed_at, id, staff[id % cardinality(staff) + 1],
    CASE WHEN NOT is_open THEN staff[id % cardinality(staff) + 1] END
FROM (
    SELECT *, CASE WHEN NOT is_open THEN at + (id % 8 + 1) * interval '1 day' END AS closed_at
    FROM (
        SELECT id, id % 30 = 0 AS is_open, now() - (CASE WHEN id % 30 = 0 THEN id % 10
            ELSE 9 + id % 700 END)::int * interval '1 day' AS at
        FROM onboarding_customer
    ) opened
) dated, (SELECT array_agg(id) AS staff FROM banking_user WHERE user_type = 'STAFF')
    people
"""
HITS = """
INSERT INTO onboarding_screeninghit (external_id, party_id, subject, list_code, entry_number,
    entry_name, matched, programs, score, entry, party_digest, entry_digest, status, note,
    is_current, found_at, lead_id)
SELECT gen_random_uuid(), external_id, 'PERSON', 'SDN', 1 + id % 18000, 'BYRON, Ada',
    first_name || ' ' || last_name, 'SDGT', 80 + id % 20, '{}', '', '', 'UNREVIEWED', '',
    id % 40 = 0, created_at, id
FROM onboarding_lead
"""
MAILS = """
INSERT INTO onboarding_mail (external_id, kind, application_id, language, code, sent_copy, status,
    due_at, attempts, fault, created_at, sent_at)
SELECT gen_random_uuid(), kind, id, 'en', '', '', 'SENT', created_at, 1, '', created_at, created_at
FROM onboarding_application, unnest(ARRAY['LINK', 'CODE', 'SUBMITTED']) kind
ORDER BY created_at
"""
QUALITY_CHECKS = """
INSERT INTO onboarding_qualitycheck (external_id, decided_at, verdict, reason, judged_at,
    application_id, event_id, decided_by_id, judged_by_id)
SELECT gen_random_uuid(), occurred_at, CASE WHEN is_judged THEN 'AGREE' ELSE '' END, '',
    CASE WHEN is_judged THEN occurred_at + interval '1 day' END, application_id, id, %(by)s,
    CASE WHEN is_judged THEN %(judge)s END
FROM (
    SELECT *, id %% 200 <> 0 AS is_judged FROM onboarding_event
    WHERE type = 'application.approved' AND id %% 20 = 0
) drawn
"""
NOTIFICATIONS = """
INSERT INTO onboarding_notification (user_id, kind, application_id, at, read_at)
SELECT %(chief)s, 'ASSIGNED', id, created_at, CASE WHEN id %% 10 <> 0 THEN created_at END
FROM onboarding_application ORDER BY id LIMIT 10000
"""


@transaction.atomic
def fill(chief: User) -> None:
    """Insert the rows of all applications of the database; `chief` gets the notifications."""
    for statement in (BUSINESSES, CUSTOMERS, CASES, HITS, MAILS):
        execute(statement)
    by, judge = User.objects.filter(user_type=UserType.STAFF).exclude(pk=chief.pk)[:2]
    execute(QUALITY_CHECKS, {"by": by.pk, "judge": judge.pk})
    execute(NOTIFICATIONS, {"chief": chief.pk})
