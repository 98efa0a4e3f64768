-- A batch of commits, as one statement: whoever calls it is never between two statements with a lock in hand.
--
-- Everything comes as arrays, one row's values at the same place of each. Rows belong to a commit by its number in the batch
-- (1, 2, …), and `*_record` is the place of a record in its commit (1, 2, …; 0: none). A session comes at most once.
-- The outcome of each commit is its first position, or: -1 the session is not as expected, -2 the agent has no place left,
-- -1000 - n the n-th of `o_names` does not allow it. What is not written leaves no trace.
CREATE FUNCTION commit_v1(
  v_node uuid, v_batch bigint,
  -- Sessions, one for each commit, with how many records it has and the place that it takes
  s_id text[], s_tenant text[], s_expected bigint[], s_version bigint[], s_head_seq bigint[], s_head_hash bytea[],
  s_opened_at bigint[], s_ended_at bigint[], s_workflow text[], s_flow_state text[], s_state text[],
  s_records integer[], s_place text[], s_most bigint[],
  -- Records; `r_handoff` is the place of the handoff among those of the batch, or 0, and its id then where it has one
  r_commit integer[], r_record integer[], r_seq bigint[], r_at bigint[], r_period integer[], r_type text[],
  r_handoff integer[], r_handoff_id uuid[], r_hash bytea[], r_text text[],
  -- Handoffs
  h_commit integer[], h_id uuid[], h_n bigint[], h_initiated integer[], h_closed integer[], h_from text[], h_to text[],
  h_type text[], h_status text[], h_level smallint[], h_task text[], h_offered_since bigint[], h_in_process boolean[],
  h_due_at bigint[], h_opened_at bigint[], h_closed_at bigint[], h_ended_badly text[], h_state text[],
  -- Items; those without a body are gone
  i_commit integer[], i_kind smallint[], i_key text[], i_body text[],
  -- Messages
  m_commit integer[], m_n bigint[], m_at bigint[], m_period integer[], m_tokens bigint[], m_body text[],
  -- Returns that are given, and those that are taken
  g_commit integer[], g_of uuid[], g_to text[], g_record integer[], g_seq bigint[],
  t_commit integer[], t_of uuid[],
  -- Keys
  k_commit integer[], k_key text[], k_digest bytea[], k_answer text[],
  -- Agents; those without a profile are gone
  a_commit integer[], a_id text[], a_profile text[], a_standing text[],
  -- The ledger: sums, what is held and released, and what goes posting by posting
  l_commit integer[], l_account text[], l_n bigint[], l_f float8[],
  b_commit integer[], b_account text[], b_n bigint[],
  o_names text[], o_commit integer[], o_account integer[], o_kind smallint[], o_n bigint[], o_handoff uuid[],
  -- What is to be removed with it
  p_session text[], p_through bigint[], p_hash bytea[]
) RETURNS bigint[] LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_last bigint; v_at bigint; v_sessions bigint; v_new bigint; v_fenced boolean;
  v_outcome bigint[];
  v_no bigint[];          -- by commit: the number of its session
  v_handoff bigint[];     -- by handoff: its number
  v_was_to text[]; v_was_status text[];
  v_due bigint[];
BEGIN
  SELECT last, at, sessions INTO v_last, v_at, v_sessions FROM feed FOR UPDATE;

  -- Who may write: sessions as expected, returns that still wait.
  SELECT array_agg(coalesce(s.no, 0) ORDER BY c.c),
      array_agg(CASE WHEN coalesce(s.version, 0) = c.expected AND (s.no IS NULL) = (c.expected = 0) THEN 0 ELSE -1 END
                ORDER BY c.c)
    INTO v_no, v_outcome
    FROM unnest(s_id, s_expected) WITH ORDINALITY AS c(id, expected, c) LEFT JOIN sessions s ON s.id = c.id;
  IF cardinality(t_commit) > 0 THEN
    SELECT array_agg(CASE WHEN late.c IS NULL THEN o.o ELSE -1 END ORDER BY o.c) INTO v_outcome
      FROM unnest(v_outcome) WITH ORDINALITY AS o(o, c)
      LEFT JOIN (SELECT DISTINCT t.c FROM unnest(t_commit, t_of) AS t(c, of)
                 WHERE NOT EXISTS (SELECT 1 FROM returns WHERE returns.of = t.of)) late ON late.c = o.c;
  END IF;
  -- Places: what the agent works on is counted, and who comes first in the batch is first.
  IF EXISTS (SELECT 1 FROM unnest(s_place) AS p(agent) WHERE p.agent IS NOT NULL) THEN
    SELECT array_agg(CASE WHEN p.o = 0 AND p.agent IS NOT NULL AND p.rank
          + (SELECT count(*) FROM (SELECT 1 FROM open WHERE to_agent = p.agent AND running LIMIT p.most) AS busy)
          > p.most THEN -2 ELSE p.o END ORDER BY p.c) INTO v_outcome
      FROM (SELECT o.o, o.c, o.agent, o.most, row_number() OVER (PARTITION BY o.agent, o.o ORDER BY o.c) AS rank
            FROM unnest(v_outcome, s_place, s_most) WITH ORDINALITY AS o(o, agent, most, c)) p;
  END IF;
  IF cardinality(o_commit) > 0 THEN
    v_outcome := ledger_post_v1(v_outcome, v_last, s_records, o_names, o_commit, o_account, o_kind, o_n, o_handoff);
  END IF;

  -- Positions, in the order of commits, and numbers for new sessions.
  SELECT array_agg(CASE WHEN c.o < 0 THEN c.o ELSE v_last + 1 + c.before END ORDER BY c.c),
      array_agg(CASE WHEN c.o = 0 AND c.no = 0 THEN v_sessions + c.news ELSE c.no END ORDER BY c.c),
      v_last + coalesce(sum(c.records) FILTER (WHERE c.o = 0), 0),
      count(*) FILTER (WHERE c.o = 0 AND c.no = 0)
    INTO v_outcome, v_no, v_last, v_new
    FROM (SELECT o.o, o.c, o.records, o.no,
            coalesce(sum(o.records) FILTER (WHERE o.o = 0)
              OVER (ORDER BY o.c ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS before,
            count(*) FILTER (WHERE o.o = 0 AND o.no = 0) OVER (ORDER BY o.c) AS news
          FROM unnest(v_outcome, s_records, v_no) WITH ORDINALITY AS o(o, records, no, c)) c;

  -- Sessions
  IF v_new > 0 THEN
    INSERT INTO sessions (no, id, tenant, version, head_seq, head_hash, pruned_seq, pruned_hash, pruned_n, opened_at,
        ended_at, over_at, workflow, flow_state, state)
      SELECT v_no[s.c], s.id, s.tenant, s.version, s.head_seq, s.head_hash, 0, decode(repeat('00', 32), 'hex'), 0,
        s.opened_at, s.ended_at, s.ended_at, s.workflow, s.flow_state, s.state
      FROM unnest(s_id, s_tenant, s_expected, s_version, s_head_seq, s_head_hash, s_opened_at, s_ended_at, s_workflow,
          s_flow_state, s_state) WITH ORDINALITY
        AS s(id, tenant, expected, version, head_seq, head_hash, opened_at, ended_at, workflow, flow_state, state, c)
      WHERE s.expected = 0 AND v_outcome[s.c] > 0;
  END IF;
  UPDATE sessions SET version = s.version, head_seq = s.head_seq, head_hash = s.head_hash, ended_at = s.ended_at,
      over_at = s.ended_at, workflow = coalesce(s.workflow, sessions.workflow),
      flow_state = coalesce(s.flow_state, sessions.flow_state), state = s.state
    FROM unnest(v_no, v_outcome, s_expected, s_version, s_head_seq, s_head_hash, s_ended_at, s_workflow, s_flow_state,
        s_state) AS s(no, o, expected, version, head_seq, head_hash, ended_at, workflow, flow_state, state)
    WHERE sessions.no = s.no AND s.expected > 0 AND s.o > 0;

  -- Handoffs: their numbers and how they were, then the wide rows, then the narrow ones.
  IF cardinality(h_commit) > 0 THEN
    SELECT array_agg(CASE WHEN x.initiated > 0 THEN v_outcome[x.c] + x.initiated - 1 ELSE h.no END ORDER BY x.h),
        array_agg(h.to_agent ORDER BY x.h), array_agg(h.status ORDER BY x.h)
      INTO v_handoff, v_was_to, v_was_status
      FROM unnest(h_commit, h_id, h_initiated) WITH ORDINALITY AS x(c, id, initiated, h)
      LEFT JOIN handoffs h ON h.id = x.id AND x.initiated = 0;
    IF EXISTS (SELECT 1 FROM unnest(v_handoff, h_commit) AS x(no, c) WHERE x.no IS NULL AND v_outcome[x.c] > 0) THEN
      RAISE EXCEPTION 'a handoff is not there' USING ERRCODE = 'HO004';
    END IF;
    INSERT INTO handoffs (no, id, session_no, tenant, n, from_agent, to_agent, type, status, level, task_id, offered_since,
        in_process, due_at, opened_at, closed_at, closed_position, ended_badly, state)
      SELECT x.no, x.id, v_no[x.c], s_tenant[x.c], x.n, x.from_agent, x.to_agent, x.type, x.status, x.level, x.task, x.offered_since,
        x.in_process, x.due_at, x.opened_at, x.closed_at,
        CASE WHEN x.closed > 0 THEN v_outcome[x.c] + x.closed - 1 END, x.ended_badly, x.state
      FROM unnest(v_handoff, h_commit, h_id, h_n, h_initiated, h_closed, h_from, h_to, h_type, h_status, h_level, h_task,
          h_offered_since, h_in_process, h_due_at, h_opened_at, h_closed_at, h_ended_badly, h_state)
        AS x(no, c, id, n, initiated, closed, from_agent, to_agent, type, status, level, task, offered_since, in_process,
          due_at, opened_at, closed_at, ended_badly, state)
      WHERE x.initiated > 0 AND v_outcome[x.c] > 0;
    UPDATE handoffs SET to_agent = x.to_agent, status = x.status, level = x.level, offered_since = x.offered_since,
        in_process = x.in_process, due_at = x.due_at, closed_at = x.closed_at,
        closed_position = CASE WHEN x.closed > 0 THEN v_outcome[x.c] + x.closed - 1 ELSE handoffs.closed_position END,
        ended_badly = x.ended_badly, state = x.state
      FROM unnest(v_handoff, h_commit, h_initiated, h_closed, h_to, h_status, h_level, h_offered_since, h_in_process,
          h_due_at, h_closed_at, h_ended_badly, h_state)
        AS x(no, c, initiated, closed, to_agent, status, level, offered_since, in_process, due_at, closed_at, ended_badly,
          state)
      WHERE handoffs.no = x.no AND x.initiated = 0 AND v_outcome[x.c] > 0;
    DELETE FROM open USING unnest(v_handoff, h_commit, h_initiated, h_due_at) AS x(no, c, initiated, due_at)
      WHERE open.no = x.no AND x.initiated = 0 AND x.due_at IS NULL AND v_outcome[x.c] > 0;
    INSERT INTO open AS o (no, id, session_no, to_agent, level, offered_since, due_at, running, node)
      SELECT x.no, x.id, v_no[x.c], x.to_agent, x.level, x.offered_since, x.due_at, x.status = 'running',
        CASE WHEN x.in_process THEN v_node END
      FROM unnest(v_handoff, h_commit, h_id, h_to, h_status, h_level, h_offered_since, h_in_process, h_due_at)
        AS x(no, c, id, to_agent, status, level, offered_since, in_process, due_at)
      WHERE x.due_at IS NOT NULL AND v_outcome[x.c] > 0
      ON CONFLICT (no) DO UPDATE SET to_agent = excluded.to_agent, level = excluded.level,
        offered_since = excluded.offered_since, due_at = excluded.due_at, running = excluded.running,
        -- Whoever writes about work that runs does not take it over.
        node = CASE WHEN excluded.node IS NOT NULL AND o.running THEN coalesce(o.node, excluded.node)
               ELSE excluded.node END,
        due_held_until = NULL, held_until = NULL, held_by = NULL;
    PERFORM count_handoffs_v1(v_outcome, v_no, s_tenant, h_commit, h_initiated, h_from, h_to, h_status, v_was_to,
      v_was_status);
  END IF;

  -- Records, and what hangs on them
  INSERT INTO records (position, period, session_no, seq, at, event_type, handoff_no, hash, text)
    SELECT v_outcome[r.c] + r.record - 1, r.period, v_no[r.c], r.seq, r.at, r.type,
      CASE WHEN r.handoff > 0 THEN v_handoff[r.handoff]
        WHEN r.handoff_id IS NOT NULL THEN (SELECT h.no FROM handoffs h WHERE h.id = r.handoff_id) END,
      r.hash, r.text
    FROM unnest(r_commit, r_record, r_seq, r_at, r_period, r_type, r_handoff, r_handoff_id, r_hash, r_text)
      AS r(c, record, seq, at, period, type, handoff, handoff_id, hash, text)
    WHERE v_outcome[r.c] > 0;
  IF cardinality(i_commit) > 0 THEN
    DELETE FROM items USING unnest(i_commit, i_kind, i_key, i_body) AS x(c, kind, key, body)
      WHERE items.session_no = v_no[x.c] AND items.kind = x.kind AND items.key = x.key AND x.body IS NULL
        AND v_outcome[x.c] > 0;
    INSERT INTO items (session_no, kind, key, body)
      SELECT v_no[x.c], x.kind, x.key, x.body FROM unnest(i_commit, i_kind, i_key, i_body) AS x(c, kind, key, body)
      WHERE x.body IS NOT NULL AND v_outcome[x.c] > 0
      ON CONFLICT (session_no, kind, key) DO UPDATE SET body = excluded.body;
  END IF;
  IF cardinality(m_commit) > 0 THEN
    INSERT INTO messages (session_no, n, period, at, tokens, body)
      SELECT v_no[x.c], x.n, x.period, x.at, x.tokens, x.body
      FROM unnest(m_commit, m_n, m_at, m_period, m_tokens, m_body) AS x(c, n, at, period, tokens, body)
      WHERE v_outcome[x.c] > 0;
  END IF;
  IF cardinality(t_commit) > 0 THEN
    DELETE FROM returns USING unnest(t_commit, t_of) AS x(c, of) WHERE returns.of = x.of AND v_outcome[x.c] > 0;
  END IF;
  IF cardinality(g_commit) > 0 THEN
    INSERT INTO returns (of, session_no, to_agent, position, seq)
      SELECT x.of, v_no[x.c], x.to_agent, v_outcome[x.c] + x.record - 1, x.seq
      FROM unnest(g_commit, g_of, g_to, g_record, g_seq) AS x(c, of, to_agent, record, seq) WHERE v_outcome[x.c] > 0;
  END IF;
  IF cardinality(k_commit) > 0 THEN
    INSERT INTO keys (session_no, key, digest, answer, seq)
      SELECT v_no[x.c], x.key, x.digest, x.answer, s_head_seq[x.c]
      FROM unnest(k_commit, k_key, k_digest, k_answer) AS x(c, key, digest, answer) WHERE v_outcome[x.c] > 0;
  END IF;
  IF cardinality(a_commit) > 0 THEN
    DELETE FROM agents USING unnest(a_commit, a_id, a_profile) AS x(c, id, profile)
      WHERE agents.id = x.id AND x.profile IS NULL AND v_outcome[x.c] > 0;
    INSERT INTO agents (id, profile, standing)
      SELECT x.id, x.profile, x.standing FROM unnest(a_commit, a_id, a_profile, a_standing) AS x(c, id, profile, standing)
      WHERE x.profile IS NOT NULL AND v_outcome[x.c] > 0
      ON CONFLICT (id) DO UPDATE SET profile = excluded.profile, standing = excluded.standing;
  END IF;
  IF cardinality(l_commit) > 0 THEN
    PERFORM ledger_add_v1(v_outcome, v_last, l_commit, l_account, l_n, l_f);
  END IF;
  IF cardinality(b_commit) > 0 THEN
    PERFORM ledger_hold_v1(v_outcome, v_last, b_commit, b_account, b_n);
  END IF;
  PERFORM count_records_v1(v_outcome, s_tenant, s_expected, s_records, r_commit, r_record, r_at);
  IF cardinality(p_session) > 0 AND v_outcome[1] > 0 THEN
    PERFORM prune_v1(p_session, p_through, p_hash);
  END IF;

  -- The end of the feed, and what the process can ask for when it does not hear the answer.
  SELECT r.at INTO v_at FROM unnest(r_commit, r_at) WITH ORDINALITY AS r(c, at, i) WHERE v_outcome[r.c] > 0
    ORDER BY r.i DESC LIMIT 1;
  UPDATE feed SET last = v_last, at = coalesce(v_at, feed.at), sessions = v_sessions + v_new;
  UPDATE nodes SET batch = v_batch, outcome = v_outcome WHERE id = v_node AND batch = v_batch - 1 AND NOT fenced;
  IF NOT FOUND THEN
    SELECT fenced INTO v_fenced FROM nodes WHERE id = v_node;
    IF coalesce(v_fenced, true) THEN
      RAISE EXCEPTION 'this process was taken for gone' USING ERRCODE = 'HO001';
    END IF;
    RAISE EXCEPTION 'this batch was decided before' USING ERRCODE = 'HO002';
  END IF;
  RETURN v_outcome;
END $$;

-- Handoffs by pair and by status, of the session and of the tenant.
CREATE FUNCTION count_handoffs_v1(
  outcome bigint[], v_no bigint[], s_tenant text[], h_commit integer[], h_initiated integer[], h_from text[], h_to text[],
  h_status text[], v_was_to text[], v_was_status text[]
) RETURNS void LANGUAGE plpgsql
SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_tenant text[]; v_session bigint[]; v_from text[]; v_to text[]; v_n bigint[];
BEGIN
  SELECT array_agg(s_tenant[m.c]), array_agg(v_no[m.c]), array_agg(m.from_agent), array_agg(m.to_agent), array_agg(m.n)
    INTO v_tenant, v_session, v_from, v_to, v_n
    FROM (SELECT x.c, x.from_agent, y.to_agent, sum(y.n)::bigint AS n
          FROM unnest(h_commit, h_initiated, h_from, h_to, v_was_to) AS x(c, initiated, from_agent, to_agent, was_to)
          CROSS JOIN LATERAL (VALUES (x.to_agent, 1), (x.was_to, -1)) AS y(to_agent, n)
          WHERE outcome[x.c] > 0 AND (x.initiated > 0 OR x.was_to <> x.to_agent) AND y.to_agent IS NOT NULL
          GROUP BY x.c, x.from_agent, y.to_agent) m;
  IF v_n IS NOT NULL THEN
    INSERT INTO counts (session_no, from_agent, to_agent, n)
      SELECT m.session, m.from_agent, m.to_agent, m.n
      FROM unnest(v_session, v_from, v_to, v_n) AS m(session, from_agent, to_agent, n)
      ON CONFLICT (session_no, from_agent, to_agent) DO UPDATE SET n = counts.n + excluded.n;
    INSERT INTO tenant_counts (tenant, from_agent, to_agent, n)
      SELECT m.tenant, m.from_agent, m.to_agent, sum(m.n)
      FROM unnest(v_tenant, v_from, v_to, v_n) AS m(tenant, from_agent, to_agent, n)
      GROUP BY m.tenant, m.from_agent, m.to_agent
      ON CONFLICT (tenant, from_agent, to_agent) DO UPDATE SET n = tenant_counts.n + excluded.n;
  END IF;
  INSERT INTO totals (tenant, name, n)
    SELECT s_tenant[x.c], y.name, sum(y.n)
    FROM unnest(h_commit, h_status, v_was_status) AS x(c, status, was)
    CROSS JOIN LATERAL (VALUES (x.status, 1), (x.was, -1)) AS y(name, n)
    WHERE outcome[x.c] > 0 AND x.status IS DISTINCT FROM x.was AND y.name IS NOT NULL
    GROUP BY 1, 2 HAVING sum(y.n) <> 0
    ON CONFLICT (tenant, name) DO UPDATE SET n = totals.n + excluded.n;
END $$;

-- Sessions and records of the tenant, and in which positions the records of a time are.
CREATE FUNCTION count_records_v1(
  outcome bigint[], s_tenant text[], s_expected bigint[], s_records integer[], r_commit integer[], r_record integer[],
  r_at bigint[]
) RETURNS void LANGUAGE plpgsql
SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  INSERT INTO totals (tenant, name, n)
    SELECT s.tenant, y.name, sum(y.n)
    FROM unnest(outcome, s_tenant, s_expected, s_records) AS s(o, tenant, expected, records)
    CROSS JOIN LATERAL (VALUES ('records', s.records), ('sessions', CASE WHEN s.expected = 0 THEN 1 ELSE 0 END)) AS y(name, n)
    WHERE s.o > 0 GROUP BY s.tenant, y.name HAVING sum(y.n) <> 0
    ON CONFLICT (tenant, name) DO UPDATE SET n = totals.n + excluded.n;
  INSERT INTO spans (span, first, last)
    SELECT floor(r.at / 600000.0)::bigint, min(outcome[r.c] + r.record - 1), max(outcome[r.c] + r.record - 1)
    FROM unnest(r_commit, r_record, r_at) AS r(c, record, at) WHERE outcome[r.c] > 0 GROUP BY 1
    ON CONFLICT (span) DO UPDATE SET first = least(spans.first, excluded.first), last = greatest(spans.last, excluded.last);
END $$;

-- What came of a batch whose answer was not heard: its outcome, or nothing where it was not written. It is not written later
-- either: its number is taken.
CREATE FUNCTION settle_v1(v_node uuid, v_batch bigint) RETURNS bigint[] LANGUAGE plpgsql AS $$
DECLARE
  v_done bigint; v_outcome bigint[]; v_fenced boolean;
BEGIN
  PERFORM 1 FROM feed FOR UPDATE;
  SELECT batch, outcome, fenced INTO v_done, v_outcome, v_fenced FROM nodes WHERE id = v_node FOR UPDATE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'this process was taken for gone' USING ERRCODE = 'HO001';
  END IF;
  IF v_done >= v_batch THEN
    RETURN v_outcome;
  END IF;
  IF NOT v_fenced THEN
    UPDATE nodes SET batch = v_batch, outcome = NULL WHERE id = v_node;
  END IF;
  RETURN NULL;
END $$;
