-- The ledger. Every change does here what `Entry::apply` and `Entry::allows` do in memory; a test compares the two.
-- What only adds is added in one statement. Accounts in which anything must be checked, or is no sum, go posting by posting,
-- in order and in memory, and are written once.

-- Sums: what was used, what ended, and the latest time at which somebody did well. A row is a commit's sum for an account:
-- 6 whole numbers (tokens, micros, ms, ended, succeeded, well at) and 4 others (ms, ms_squares, cost, cost_squares).
CREATE FUNCTION ledger_add_v1(
  outcome bigint[], last bigint, l_commit integer[], l_account text[], l_n bigint[], l_f float8[]
) RETURNS void LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  most CONSTANT numeric := 9223372036854775807;
  never CONSTANT bigint := -9223372036854775807;
BEGIN
  INSERT INTO ledger (account, changed)
    SELECT DISTINCT x.account, last FROM unnest(l_commit, l_account) AS x(c, account) WHERE outcome[x.c] > 0
    ON CONFLICT DO NOTHING;
  UPDATE ledger l SET
      used_tokens = least(l.used_tokens + g.tokens, most), used_micros = least(l.used_micros + g.micros, most),
      used_ms = least(l.used_ms + g.used_ms, most),
      ended = l.ended + g.ended, succeeded = l.succeeded + g.succeeded,
      ms = l.ms + g.ms, ms_squares = l.ms_squares + g.ms_squares,
      cost = l.cost + g.cost, cost_squares = l.cost_squares + g.cost_squares,
      failures = CASE WHEN coalesce(l.open_until, never + 1) <= g.well THEN 0 ELSE l.failures END,
      open_until = CASE WHEN coalesce(l.open_until, never + 1) <= g.well THEN NULL ELSE l.open_until END,
      probe = CASE WHEN coalesce(l.open_until, never + 1) <= g.well THEN NULL ELSE l.probe END,
      trips = CASE WHEN coalesce(l.open_until, never + 1) <= g.well THEN 0 ELSE l.trips END,
      changed = last, changed_at = now()
    FROM (SELECT x.account, sum(l_n[6 * x.i - 5]) AS tokens, sum(l_n[6 * x.i - 4]) AS micros,
            sum(l_n[6 * x.i - 3]) AS used_ms, sum(l_n[6 * x.i - 2])::bigint AS ended,
            sum(l_n[6 * x.i - 1])::bigint AS succeeded, max(l_n[6 * x.i]) AS well,
            sum(l_f[4 * x.i - 3]) AS ms, sum(l_f[4 * x.i - 2]) AS ms_squares,
            sum(l_f[4 * x.i - 1]) AS cost, sum(l_f[4 * x.i]) AS cost_squares
          FROM unnest(l_commit, l_account) WITH ORDINALITY AS x(c, account, i)
          WHERE outcome[x.c] > 0 GROUP BY x.account) g
    WHERE l.account = g.account;
END $$;

-- What is set aside, where it is only held and released. Never below nothing: several changes in a row come to
-- "add d, but not below m", and so do several of those. A row has d and m of tokens, micros and ms.
CREATE FUNCTION ledger_hold_v1(
  outcome bigint[], last bigint, b_commit integer[], b_account text[], b_n bigint[]
) RETURNS void LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  most CONSTANT numeric := 9223372036854775807;
BEGIN
  INSERT INTO ledger (account, changed)
    SELECT DISTINCT x.account, last FROM unnest(b_commit, b_account) AS x(c, account) WHERE outcome[x.c] > 0
    ON CONFLICT DO NOTHING;
  UPDATE ledger l SET
      reserved_tokens = least(greatest(l.reserved_tokens + g.d1, g.m1), most),
      reserved_micros = least(greatest(l.reserved_micros + g.d2, g.m2), most),
      reserved_ms = least(greatest(l.reserved_ms + g.d3, g.m3), most),
      changed = last, changed_at = now()
    FROM (SELECT account, sum(d1) AS d1, max(m1 - p1) + sum(d1) AS m1, sum(d2) AS d2, max(m2 - p2) + sum(d2) AS m2,
            sum(d3) AS d3, max(m3 - p3) + sum(d3) AS m3
          FROM (SELECT account, d1, m1, d2, m2, d3, m3,
                  sum(d1) OVER w AS p1, sum(d2) OVER w AS p2, sum(d3) OVER w AS p3
                FROM (SELECT x.account, x.i, b_n[6 * x.i - 5] AS d1, b_n[6 * x.i - 4] AS m1, b_n[6 * x.i - 3] AS d2,
                        b_n[6 * x.i - 2] AS m2, b_n[6 * x.i - 1] AS d3, b_n[6 * x.i] AS m3
                      FROM unnest(b_commit, b_account) WITH ORDINALITY AS x(c, account, i)
                      WHERE outcome[x.c] > 0) rows
                WINDOW w AS (PARTITION BY account ORDER BY i)) prefixed
          GROUP BY account) g
    WHERE l.account = g.account;
END $$;

-- Posting by posting. `o_account` is the place of a name in `o_names`, and `o_n` has 6 numbers for each posting, by its kind:
--   0 a commit begins of which something is checked
--   1 reserve: tokens, micros, ms, and the limits of each (the highest number: none)
--   2 release, 3 hold, 4 use: tokens, micros, ms      5 ended: succeeded, ms, micros
--   6 failed: at, after, open until  7 well: at       8 probe: at    9 the probe is over    10 reset    11 forget
-- What must not be refuses its whole commit: the outcome is then -1000 minus the place of the account.
CREATE FUNCTION ledger_post_v1(
  INOUT outcome bigint[], last bigint, s_records integer[],
  o_names text[], o_commit integer[], o_account integer[], o_kind smallint[], o_n bigint[], o_handoff uuid[]
) LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  most CONSTANT bigint := 9223372036854775807;
  -- What each account holds: 6 whole numbers (reserved, used), then 2 (ended, succeeded), then 2 of the breaker; 4 others.
  n bigint[]; f float8[]; open_until bigint[]; probe uuid[];
  n_was bigint[]; f_was float8[]; open_until_was bigint[]; probe_was uuid[];
  i integer; k integer; a integer; c integer; x integer; y integer;
  amount bigint; money float8; refused boolean; v_last bigint;
BEGIN
  SELECT array_agg(v.n ORDER BY o.i, v.k) INTO n
    FROM unnest(o_names) WITH ORDINALITY AS o(account, i) LEFT JOIN ledger l ON l.account = o.account
    CROSS JOIN LATERAL (VALUES (1, coalesce(l.reserved_tokens, 0)), (2, coalesce(l.reserved_micros, 0)),
      (3, coalesce(l.reserved_ms, 0)), (4, coalesce(l.used_tokens, 0)), (5, coalesce(l.used_micros, 0)),
      (6, coalesce(l.used_ms, 0)), (7, coalesce(l.ended, 0)), (8, coalesce(l.succeeded, 0)),
      (9, coalesce(l.failures, 0)), (10, coalesce(l.trips, 0))) AS v(k, n);
  SELECT array_agg(v.f ORDER BY o.i, v.k) INTO f
    FROM unnest(o_names) WITH ORDINALITY AS o(account, i) LEFT JOIN ledger l ON l.account = o.account
    CROSS JOIN LATERAL (VALUES (1, coalesce(l.ms, 0)), (2, coalesce(l.ms_squares, 0)), (3, coalesce(l.cost, 0)),
      (4, coalesce(l.cost_squares, 0))) AS v(k, f);
  SELECT array_agg(l.open_until ORDER BY o.i), array_agg(l.probe ORDER BY o.i) INTO open_until, probe
    FROM unnest(o_names) WITH ORDINALITY AS o(account, i) LEFT JOIN ledger l ON l.account = o.account;

  FOR i IN 1 .. cardinality(o_commit) LOOP
    c := o_commit[i];
    CONTINUE WHEN outcome[c] < 0;
    a := o_account[i];
    x := 10 * (a - 1);  -- before the first number of the account
    y := 6 * (i - 1);   -- before the first number of the posting
    CASE o_kind[i]
      WHEN 0 THEN
        n_was := n; f_was := f; open_until_was := open_until; probe_was := probe;
      WHEN 1 THEN
        refused := false;
        FOR k IN 1 .. 3 LOOP
          IF o_n[y + k + 3] <> most THEN
            refused := refused OR n[x + k]::numeric + n[x + k + 3] + o_n[y + k] > o_n[y + k + 3] AND o_n[y + k] > 0;
          END IF;
        END LOOP;
        IF refused THEN
          outcome[c] := -1000 - a;
          n := n_was; f := f_was; open_until := open_until_was; probe := probe_was;
        ELSE
          FOR k IN 1 .. 3 LOOP
            n[x + k] := least(n[x + k]::numeric + o_n[y + k], most);
          END LOOP;
        END IF;
      WHEN 2 THEN
        FOR k IN 1 .. 3 LOOP
          n[x + k] := greatest(n[x + k] - o_n[y + k], 0);
        END LOOP;
      WHEN 3 THEN
        FOR k IN 1 .. 3 LOOP
          n[x + k] := least(n[x + k]::numeric + o_n[y + k], most);
        END LOOP;
      WHEN 4 THEN
        FOR k IN 1 .. 3 LOOP
          n[x + k + 3] := least(n[x + k + 3]::numeric + o_n[y + k], most);
        END LOOP;
      WHEN 5 THEN
        n[x + 7] := n[x + 7] + 1;
        n[x + 8] := n[x + 8] + o_n[y + 1];
        money := o_n[y + 3]::float8 / 1000000;
        amount := o_n[y + 2];
        y := 4 * (a - 1);
        f[y + 1] := f[y + 1] + amount::float8;
        f[y + 2] := f[y + 2] + amount::float8 * amount::float8;
        f[y + 3] := f[y + 3] + money;
        f[y + 4] := f[y + 4] + money * money;
      WHEN 6 THEN
        n[x + 9] := least(n[x + 9] + 1, 4294967295);
        IF (open_until[a] IS NULL AND n[x + 9] >= o_n[y + 2]) OR o_n[y + 1] >= open_until[a] THEN
          open_until[a] := o_n[y + 3];
          probe[a] := NULL;
          n[x + 10] := least(n[x + 10] + 1, 4294967295);
        END IF;
      WHEN 7 THEN
        IF open_until[a] IS NULL OR o_n[y + 1] >= open_until[a] THEN
          n[x + 9] := 0; n[x + 10] := 0; open_until[a] := NULL; probe[a] := NULL;
        END IF;
      WHEN 8 THEN
        IF open_until[a] IS NULL OR o_n[y + 1] < open_until[a] OR probe[a] IS NOT NULL THEN
          outcome[c] := -1000 - a;
          n := n_was; f := f_was; open_until := open_until_was; probe := probe_was;
        ELSE
          probe[a] := o_handoff[i];
        END IF;
      WHEN 9 THEN
        IF probe[a] = o_handoff[i] THEN
          probe[a] := NULL;
        END IF;
      WHEN 10 THEN
        n[x + 9] := 0; n[x + 10] := 0; open_until[a] := NULL; probe[a] := NULL;
      WHEN 11 THEN
        IF n[x + 1] = 0 AND n[x + 2] = 0 AND n[x + 3] = 0 THEN
          FOR k IN 1 .. 10 LOOP n[x + k] := 0; END LOOP;
          FOR k IN 1 .. 4 LOOP f[4 * (a - 1) + k] := 0; END LOOP;
          open_until[a] := NULL; probe[a] := NULL;
        END IF;
    END CASE;
  END LOOP;

  SELECT last + coalesce(sum(r.n), 0) INTO v_last
    FROM unnest(outcome, s_records) AS r(outcome, n) WHERE r.outcome = 0;
  INSERT INTO ledger AS l (account, reserved_tokens, reserved_micros, reserved_ms, used_tokens, used_micros, used_ms, ended,
      succeeded, ms, ms_squares, cost, cost_squares, failures, open_until, probe, trips, changed)
    SELECT o.account, n[x1 + 1], n[x1 + 2], n[x1 + 3], n[x1 + 4], n[x1 + 5], n[x1 + 6], n[x1 + 7], n[x1 + 8],
      f[x2 + 1], f[x2 + 2], f[x2 + 3], f[x2 + 4], n[x1 + 9], open_until[o.i], probe[o.i], n[x1 + 10], v_last
    FROM (SELECT o.account, o.i::integer AS i, 10 * (o.i - 1)::integer AS x1, 4 * (o.i - 1)::integer AS x2
          FROM unnest(o_names) WITH ORDINALITY AS o(account, i)
          WHERE EXISTS (SELECT 1 FROM unnest(o_commit, o_account) AS p(c, a) WHERE p.a = o.i AND outcome[p.c] = 0)) o
    ON CONFLICT (account) DO UPDATE SET reserved_tokens = excluded.reserved_tokens,
      reserved_micros = excluded.reserved_micros, reserved_ms = excluded.reserved_ms, used_tokens = excluded.used_tokens,
      used_micros = excluded.used_micros, used_ms = excluded.used_ms, ended = excluded.ended,
      succeeded = excluded.succeeded, ms = excluded.ms, ms_squares = excluded.ms_squares, cost = excluded.cost,
      cost_squares = excluded.cost_squares, failures = excluded.failures, open_until = excluded.open_until,
      probe = excluded.probe, trips = excluded.trips, changed = excluded.changed, changed_at = now();
END $$;
