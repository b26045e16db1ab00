"""SQL that makes transactions: random values go to a temporary table, then into each table.

Rows and their ids are in the order of time, so that indexes of ids need no sorting.
"""

SETTINGS = """
SET LOCAL work_mem = '512MB';
SET LOCAL maintenance_work_mem = '512MB';
SET LOCAL jit = off;
SET LOCAL max_parallel_workers_per_gather = 0;
DROP TABLE IF EXISTS made, made_accounts, made_kinds
"""
ACCOUNTS = """
CREATE TEMPORARY TABLE made_accounts ON COMMIT DROP AS
SELECT row_number() OVER (ORDER BY id)::int AS place, id AS account_id, business_id
FROM banking_account WHERE id = ANY(%s)
"""
KINDS = """
CREATE TEMPORARY TABLE made_kinds ON COMMIT DROP AS
SELECT row_number() OVER ()::int AS kind, kinds.*
FROM unnest(%(types)s::text[], %(categories)s::text[], %(are_bought)s::bool[], %(counters)s::int[])
    AS kinds(transaction_type, category_id, is_bought, counter_id)
"""
MADE = """
CREATE TEMPORARY TABLE made ON COMMIT DROP AS
SELECT n, kind, account_id, business_id, is_business,
    to_timestamp(ms / 1000) AS occurred_at,
    DATE 'epoch' + (ms / 86400000)::int AS day,
    ms >= %(pending_from)s AS is_pending,
    -- a UUID of version 7: 48 bits of time, 12 of chance, and after the variant 62 more
    (lpad(to_hex((ms << 16) | (7 << 12) | (hash >> 52 & 4095)), 16, '0')
        || to_hex((1::bigint << 63) | (hash & (1::bigint << 62) - 1)))::uuid AS id,
    (%(least)s::int[])[kind] + (size * size * size * (%(ranges)s::int[])[kind])::int
        AS amount_cents,
    (%(merchants)s::bigint[])[  -- of one kind, as merchants are
        1 + (merchant / cardinality(%(least)s::int[]) * cardinality(%(least)s::int[]) + kind)
            %% cardinality(%(merchants)s::bigint[])
    ] AS merchant_id
FROM (
    SELECT n,
        %(until)s - ceil((%(count)s + 1 - n - random()) * %(step)s::float8)::bigint AS ms,
        CASE WHEN random() < %(share)s THEN 1
            ELSE 2 + floor(random() * (%(businesses)s - 1))::int END AS place,
        (%(slots)s::int[])[1 + floor(random() * 1000)::int] AS kind,
        random() AS size, random() < 0.9 AS is_business,
        1 + floor(random() * cardinality(%(merchants)s::bigint[]))::int AS merchant,
        hashint8extended(n, %(seed)s) AS hash
    FROM generate_series(1, %(count)s) n
) drawn
JOIN made_accounts USING (place)
"""
FIRST_ID = """
SELECT setval(name, nextval(name) + %(count)s) - %(count)s
FROM pg_get_serial_sequence(%(table)s, 'id') name
"""
ENTRIES = """
INSERT INTO banking_entry (id, posting_id, account_id, amount_cents, posted_at)
SELECT %(first)s + n, id, account_id, amount_cents, occurred_at FROM made WHERE NOT is_pending
UNION ALL
SELECT %(first)s + %(count)s + n, id, counter_id, -amount_cents, occurred_at
FROM made JOIN made_kinds USING (kind) WHERE NOT is_pending
"""
POSTINGS = """
INSERT INTO banking_posting (id, posted_at, description, idempotency_key)
SELECT id, occurred_at, '', '' FROM made WHERE NOT is_pending
"""
TRANSACTIONS = """
INSERT INTO banking_transaction (
    id, external_id, business_id, account_id, posting_id, transaction_type, status, amount_cents,
    occurred_at, settled_at, settles_at, category_id, is_business, description, merchant_id,
    merchant_raw_name, original_currency, note, source_id
)
SELECT %(first)s + n, id, business_id, account_id, CASE WHEN NOT is_pending THEN id END,
    transaction_type, CASE WHEN is_pending THEN 'PENDING' ELSE 'POSTED' END, amount_cents,
    occurred_at, CASE WHEN NOT is_pending THEN occurred_at END,
    CASE WHEN is_pending THEN occurred_at + interval '3 days' END,
    category_id, is_business, 'Card payment ' || n, CASE WHEN is_bought THEN merchant_id END,
    '', '', '', ''
FROM made JOIN made_kinds USING (kind)
"""
TOTALS = """
WITH days AS MATERIALIZED (
    SELECT account_id, day AS starts_on, kind, is_pending, is_business, count(*)::int AS count,
        sum(amount_cents)::bigint AS cents
    FROM made GROUP BY 1, 2, 3, 4, 5
), totals AS (
    SELECT 'DAY' AS granularity, * FROM days
    UNION ALL
    SELECT 'MONTH', account_id, date_trunc('month', starts_on)::date, kind, is_pending,
        is_business, sum(count), sum(cents)
    FROM days GROUP BY 1, 2, 3, 4, 5, 6
)
INSERT INTO banking_transactiontotal (
    business_id, granularity, starts_on, account_id, transaction_type, is_pending, category_id,
    is_business, count, in_cents, out_cents
)
SELECT business_id, granularity, starts_on, account_id, transaction_type, is_pending, category_id,
    is_business, count, greatest(cents, 0), greatest(-cents, 0)
FROM totals JOIN made_accounts USING (account_id) JOIN made_kinds USING (kind)
"""  # amounts of one kind have one sign
MERCHANT_TOTALS = """
INSERT INTO banking_merchanttotal (
    business_id, starts_on, merchant_key, raw_name, category_id, is_business, count, in_cents,
    out_cents
)
SELECT business_id, date_trunc('month', day)::date,
    CASE WHEN is_bought THEN merchant_id ELSE 0 END, '', category_id, is_business, count(*),
    sum(greatest(amount_cents, 0)), sum(greatest(-amount_cents, 0))
FROM made JOIN made_kinds USING (kind) WHERE NOT is_pending
GROUP BY 1, 2, 3, 4, 5, 6
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
REFUSE_UNBALANCED = """
DO $$ BEGIN
    IF EXISTS (
        SELECT 1 FROM banking_entry WHERE id >= %(first)s GROUP BY posting_id
        HAVING sum(amount_cents::int) <> 0 OR count(*) < 2
    ) THEN
        RAISE EXCEPTION 'posting_entries_sum_to_zero' USING ERRCODE = 'check_violation';
    END IF;
END $$
"""  # as the triggers would have, which are off; what is made here are small amounts
