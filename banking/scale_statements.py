"""The statements by which `services.scale` makes transactions: each table is filled by one."""

SETTINGS = """
SET LOCAL work_mem = '512MB';
SET LOCAL maintenance_work_mem = '512MB';
SET LOCAL jit = off;
DROP TABLE IF EXISTS made, made_accounts, made_kinds
"""
UUID_FUNCTION = """
CREATE OR REPLACE FUNCTION pg_temp.uuid_at(at timestamptz, name text) RETURNS uuid
LANGUAGE sql STABLE AS $$
    SELECT overlay(
        overlay(md5(name) PLACING 'a' FROM 17)
        PLACING lpad(to_hex((date_part('epoch', at) * 1000)::bigint), 12, '0') || '7' FROM 1
    )::uuid
$$
"""  # a UUID of version 7; not immutable, or PostgreSQL would call it instead of inlining it
ACCOUNTS = """
CREATE TEMPORARY TABLE made_accounts ON COMMIT DROP AS
SELECT row_number() OVER (ORDER BY id)::int AS place, id AS account_id, business_id
FROM banking_account WHERE id = ANY(%s)
"""
KINDS = """
CREATE TEMPORARY TABLE made_kinds ON COMMIT DROP AS
SELECT row_number() OVER ()::int AS slot, kind.*
FROM unnest(
    %(types)s::text[], %(categories)s::text[], %(signs)s::int[], %(least)s::int[], %(most)s::int[],
    %(weights)s::int[]
) AS kind(transaction_type, category_id, sign, least, most, weight)
CROSS JOIN LATERAL generate_series(1, kind.weight)
"""
MADE = """
CREATE TEMPORARY TABLE made ON COMMIT DROP AS
SELECT drawn.*, account_id, business_id, transaction_type, category_id,
    occurred_at >= %(pending_from)s AS is_pending,
    pg_temp.uuid_at(occurred_at, %(seed)s || '-' || n) AS id,
    sign * (100 * least + floor(size ^ 3 * 100 * (most - least))::bigint) AS amount_cents
FROM (
    SELECT n,
        date_trunc('second', %(until)s::timestamptz
            - (%(count)s - n + random()) / %(count)s * %(span)s::interval) AS occurred_at,
        CASE WHEN random() < %(share)s THEN 1
            ELSE 2 + floor(random() * (%(businesses)s - 1))::int END AS place,
        1 + floor(random() * 1000)::int AS slot, random() AS size, random() < 0.9 AS is_business,
        (%(merchants)s::bigint[])[1 + floor(random() * cardinality(%(merchants)s::bigint[]))::int]
            AS merchant_id
    FROM generate_series(1, %(count)s) n
) drawn
JOIN made_accounts USING (place)
JOIN made_kinds USING (slot)
"""
ENTRIES = """
INSERT INTO banking_entry (posting_id, account_id, amount_cents, posted_at)
SELECT made.id, leg.account_id, leg.amount_cents, occurred_at
FROM made CROSS JOIN LATERAL (VALUES
    (made.account_id, made.amount_cents),
    (CASE transaction_type WHEN 'FEE' THEN %(fee_income)s ELSE %(clearing)s END,
        -made.amount_cents)
) leg(account_id, amount_cents)
WHERE NOT is_pending
"""
POSTINGS = """
INSERT INTO banking_posting (id, posted_at, description, idempotency_key)
SELECT id, occurred_at, '', '' FROM made WHERE NOT is_pending
"""
TRANSACTIONS = """
INSERT INTO banking_transaction (
    external_id, business_id, account_id, posting_id, transaction_type, status, amount_cents,
    occurred_at, settled_at, settles_at, category_id, is_business, description, merchant_id,
    merchant_raw_name, original_currency, note, source_id
)
SELECT id, business_id, account_id, CASE WHEN NOT is_pending THEN id END,
    transaction_type, CASE WHEN is_pending THEN 'PENDING' ELSE 'POSTED' END, amount_cents,
    occurred_at, CASE WHEN NOT is_pending THEN occurred_at END,
    CASE WHEN is_pending THEN occurred_at + interval '3 days' END,
    category_id, is_business, 'Card payment ' || n,
    CASE WHEN transaction_type IN ('PURCHASE', 'REFUND') THEN merchant_id END, '', '', '', ''
FROM made
"""
DAYS = """
INSERT INTO banking_transactiontotal (
    business_id, granularity, starts_on, account_id, transaction_type, is_pending, category_id,
    is_business, count, in_cents, out_cents
)
SELECT business_id, 'DAY', (occurred_at AT TIME ZONE 'UTC')::date, account_id, transaction_type,
    is_pending, category_id, is_business, count(*), sum(greatest(amount_cents, 0)),
    sum(greatest(-amount_cents, 0))
FROM made GROUP BY 1, 3, 4, 5, 6, 7, 8
"""
MONTHS = """
INSERT INTO banking_transactiontotal (
    business_id, granularity, starts_on, account_id, transaction_type, is_pending, category_id,
    is_business, count, in_cents, out_cents
)
SELECT business_id, 'MONTH', date_trunc('month', starts_on)::date, account_id, transaction_type,
    is_pending, category_id, is_business, sum(count), sum(in_cents), sum(out_cents)
FROM banking_transactiontotal
WHERE business_id IN (SELECT business_id FROM made_accounts) AND granularity = 'DAY'
GROUP BY 1, 3, 4, 5, 6, 7, 8
"""
BALANCES = """
UPDATE banking_account SET current_cents = sums.posted, held_cents = sums.held
FROM (
    SELECT account_id, coalesce(sum(amount_cents) FILTER (WHERE NOT is_pending), 0) AS posted,
        coalesce(-sum(amount_cents) FILTER (WHERE is_pending AND amount_cents < 0), 0) AS held
    FROM made GROUP BY account_id
) sums
WHERE banking_account.id = sums.account_id
"""
FOREIGN_KEYS = """
SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint
WHERE contype = 'f' AND (
    conrelid = ANY(%s::regclass[]::oid[])
) ORDER BY conname
"""
UNIQUE_CONSTRAINTS = """
SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint own
WHERE contype IN ('p', 'u') AND conrelid = ANY(%(tables)s::regclass[]::oid[]) AND NOT EXISTS (
    SELECT 1 FROM pg_constraint other WHERE other.contype = 'f' AND other.conindid = own.conindid
        AND other.conrelid <> ALL(%(tables)s::regclass[]::oid[])
) ORDER BY conname
"""
INDEXES = """
SELECT tablename, indexname, indexdef FROM pg_indexes
WHERE tablename = ANY(%s) AND indexname NOT IN (SELECT conname FROM pg_constraint)
ORDER BY indexname
"""
REFUSE_UNBALANCED = """
DO $$ BEGIN
    IF EXISTS (
        SELECT 1 FROM banking_entry GROUP BY posting_id
        HAVING sum(amount_cents) <> 0 OR count(*) < 2
    ) THEN
        RAISE EXCEPTION 'posting_entries_sum_to_zero' USING ERRCODE = 'check_violation';
    END IF;
END $$
"""
