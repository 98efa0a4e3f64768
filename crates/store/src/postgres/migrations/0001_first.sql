-- The first schema: tables. Every index stands below the query that needs it; there is no other.
-- Names are those of the SQLite store where the thing is the same. Inside, sessions and handoffs go by small numbers; times
-- are milliseconds since 1970 by the engine's clock, except where a column is a timestamptz: that is the database's own
-- clock. JSON that nobody queries is text, to the letter. Names compare byte by byte, whatever the database's language is.

-- One row. Whoever commits locks it first, so that commits are in one order and positions follow each other without a gap.
CREATE TABLE feed (
  one      boolean PRIMARY KEY DEFAULT true CHECK (one),
  last     bigint NOT NULL,     -- the last position
  at       bigint NOT NULL,     -- the time of the record there
  sessions bigint NOT NULL      -- the number of the last session
) WITH (fillfactor = 10);
INSERT INTO feed (last, at, sessions) VALUES (0, 0, 0);

-- The processes that work here: one row for each start. `batch` is the last batch that was decided, and `outcome` what came
-- of it: after a broken connection this tells whether it was written. A process that is taken for gone is `fenced` and
-- writes nothing more; its row stays for a while, so that it can learn what came of its last batch.
CREATE TABLE nodes (
  id      uuid PRIMARY KEY,
  name    text NOT NULL,
  since   timestamptz NOT NULL,
  until   timestamptz NOT NULL,
  fenced  boolean NOT NULL DEFAULT false,
  serves  boolean NOT NULL DEFAULT false,  -- whether it answers requests: those share what a key may ask
  batch   bigint NOT NULL DEFAULT 0,
  outcome bigint[]              -- by commit: the first position, or why not; nothing where the batch was given up
) WITH (fillfactor = 20);

-- What one process does for all.
CREATE TABLE chores (
  name  text COLLATE "C" PRIMARY KEY,
  node  uuid NOT NULL,
  until timestamptz NOT NULL
);

CREATE TABLE sessions (
  no          bigint PRIMARY KEY,
  id          text COLLATE "C" NOT NULL UNIQUE,
  tenant      text COLLATE "C" NOT NULL,
  version     bigint NOT NULL,
  head_seq    bigint NOT NULL,
  head_hash   bytea NOT NULL,
  pruned_seq  bigint NOT NULL,  -- the last record that was removed; 0 when none was. Records up to it are not to be seen
  pruned_hash bytea NOT NULL,
  pruned_n    bigint NOT NULL,  -- the same for messages
  opened_at   bigint NOT NULL,
  ended_at    bigint,
  over_at     bigint,           -- the same while there are records that can be removed
  workflow    text COLLATE "C",
  flow_state  text COLLATE "C",
  state       text NOT NULL
) WITH (fillfactor = 50);
-- Sessions of a tenant, latest first: WHERE tenant = ? ORDER BY no DESC
CREATE INDEX sessions_by_tenant ON sessions (tenant, no);
-- Sessions that are over and still have records: ORDER BY over_at, no
CREATE INDEX sessions_over ON sessions (over_at, no) WHERE over_at IS NOT NULL;
-- Sessions of a workflow in a state, latest first, and how many
CREATE INDEX sessions_by_flow ON sessions (tenant, workflow, flow_state, no) WHERE workflow IS NOT NULL;

-- `period` is the year and the month of `at`, such as 202611; 0 for what outlives its month: the book of the house, and what
-- was still alive when its partition went. A position is one more than the last one, in the order of commits.
CREATE TABLE records (
  position   bigint NOT NULL,
  period     integer NOT NULL,
  session_no bigint NOT NULL,
  seq        bigint NOT NULL,
  at         bigint NOT NULL,
  event_type text COLLATE "C" NOT NULL,
  handoff_no bigint,
  hash       bytea NOT NULL,
  text       text NOT NULL,
  PRIMARY KEY (position, period)
) PARTITION BY LIST (period);
-- The chain of a session: WHERE session_no = ? AND seq > ? ORDER BY seq
CREATE UNIQUE INDEX records_by_session ON records (session_no, seq, period);
-- The trail of a handoff: WHERE handoff_no = ? AND position > ? ORDER BY position
CREATE INDEX records_by_handoff ON records (handoff_no) WHERE handoff_no IS NOT NULL;
CREATE TABLE records_kept PARTITION OF records FOR VALUES IN (0);

-- In which positions the records of each ten minutes are.
CREATE TABLE spans (
  span  bigint PRIMARY KEY,
  first bigint NOT NULL,
  last  bigint NOT NULL
) WITH (fillfactor = 50);

-- The number of a handoff is the position of the record that initiated it; the request is there, the result is in the
-- record that closed it.
CREATE TABLE handoffs (
  no              bigint PRIMARY KEY,
  id              uuid NOT NULL UNIQUE,
  session_no      bigint NOT NULL,
  tenant          text COLLATE "C" NOT NULL,   -- the session's: lists are those of one tenant
  n               bigint NOT NULL,
  from_agent      text COLLATE "C" NOT NULL,
  to_agent        text COLLATE "C" NOT NULL,
  type            text COLLATE "C" NOT NULL,
  status          text COLLATE "C" NOT NULL,
  level           smallint NOT NULL,
  task_id         text COLLATE "C",   -- NULL where the task has no id of its own and goes by the handoff's
  offered_since   bigint,
  in_process      boolean NOT NULL,
  due_at          bigint,
  opened_at       bigint NOT NULL,
  closed_at       bigint,
  closed_position bigint,
  ended_badly     text COLLATE "C",   -- the status where it is failed, timed_out, escalated or cancelled
  state           text NOT NULL,
  CHECK ((closed_at IS NULL) = (due_at IS NOT NULL)) -- every open handoff has a due time
) WITH (fillfactor = 60);
-- The history of a session: WHERE session_no = ? AND n > ? ORDER BY n
CREATE UNIQUE INDEX handoffs_by_session ON handoffs (session_no, n);
-- Audit by task
CREATE INDEX handoffs_by_task ON handoffs (task_id) WHERE task_id IS NOT NULL;
-- Handoffs of a tenant in order: WHERE tenant = ? ORDER BY no. By source, by target; the audit looks here, too.
CREATE INDEX handoffs_by_tenant ON handoffs (tenant, no);
CREATE INDEX handoffs_by_source ON handoffs (tenant, from_agent, no);
CREATE INDEX handoffs_by_target ON handoffs (tenant, to_agent, no);
-- What ended badly. Open ones are found in `open`, and completed ones are everywhere.
CREATE INDEX handoffs_ended_badly ON handoffs (tenant, ended_badly, no) WHERE ended_badly IS NOT NULL;

-- Handoffs that are not closed, as narrow as can be: what is claimed, what is due, what somebody works on.
-- `node` is the process in which its holder lives, where it lives in one of ours. What is due is held by the engine's clock,
-- what is on offer by the database's; a commit that touches a handoff lets go of both.
CREATE TABLE open (
  no              bigint PRIMARY KEY,
  id              uuid NOT NULL,
  session_no      bigint NOT NULL,
  to_agent        text COLLATE "C" NOT NULL,
  level           smallint NOT NULL,
  offered_since   bigint,
  due_at          bigint NOT NULL,
  running         boolean NOT NULL,
  node            uuid,
  due_held_until  bigint,
  due_held_by     uuid,
  held_until      timestamptz,
  held_by         uuid
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 20000);
-- What a session holds open: WHERE session_no = ?
CREATE INDEX open_by_session ON open (session_no);
-- What is due: WHERE due_at <= ? ORDER BY due_at, no
CREATE INDEX open_due ON open (due_at, no);
-- The queue of an agent: WHERE to_agent = ? AND offered_since IS NOT NULL ORDER BY level, offered_since, no
CREATE INDEX open_queue ON open (to_agent, level, offered_since, no) WHERE offered_since IS NOT NULL;
-- What an agent works on: WHERE to_agent = ? AND running
CREATE INDEX open_running ON open (to_agent) WHERE running;

-- `period` as in `records`.
CREATE TABLE messages (
  session_no bigint NOT NULL,
  n          bigint NOT NULL,
  period     integer NOT NULL,
  at         bigint NOT NULL,
  tokens     bigint NOT NULL,
  body       text NOT NULL,
  PRIMARY KEY (session_no, n, period)
) PARTITION BY LIST (period);
CREATE TABLE messages_kept PARTITION OF messages FOR VALUES IN (0);

-- Variables (1), artifacts (2), locks (3) and decisions (4).
CREATE TABLE items (
  session_no bigint NOT NULL,
  kind       smallint NOT NULL,
  key        text COLLATE "C" NOT NULL,
  body       text NOT NULL,
  PRIMARY KEY (session_no, kind, key)
);

-- Answers by idempotency key; `seq` is the session's last record when the answer was given.
CREATE TABLE keys (
  session_no bigint NOT NULL,
  key        text COLLATE "C" NOT NULL,
  digest     bytea NOT NULL,
  answer     text NOT NULL,
  seq        bigint NOT NULL,
  PRIMARY KEY (session_no, key)
);

-- Returns that wait; taking one removes its row. `position` is that of the record which has the result.
CREATE TABLE returns (
  of         uuid PRIMARY KEY,
  session_no bigint NOT NULL,
  to_agent   text COLLATE "C" NOT NULL,
  position   bigint NOT NULL,
  seq        bigint NOT NULL
);
-- The inbox of an agent, oldest first: WHERE to_agent = ? ORDER BY position
CREATE INDEX returns_by_agent ON returns (to_agent, position);
-- What goes with the records of a session: WHERE session_no = ? AND seq <= ?
CREATE INDEX returns_by_session ON returns (session_no);

CREATE TABLE agents (
  id       text COLLATE "C" PRIMARY KEY,
  profile  text NOT NULL,
  standing text NOT NULL
);

-- Handoffs of a session by source and by who has or had them last.
CREATE TABLE counts (
  session_no bigint NOT NULL,
  from_agent text COLLATE "C" NOT NULL,
  to_agent   text COLLATE "C" NOT NULL,
  n          bigint NOT NULL,
  PRIMARY KEY (session_no, from_agent, to_agent)
) WITH (fillfactor = 70);

-- The same over all sessions of a tenant.
CREATE TABLE tenant_counts (
  tenant     text COLLATE "C" NOT NULL,
  from_agent text COLLATE "C" NOT NULL,
  to_agent   text COLLATE "C" NOT NULL,
  n          bigint NOT NULL,
  PRIMARY KEY (tenant, from_agent, to_agent)
) WITH (fillfactor = 20);

-- Handoffs of a tenant by status, and its `sessions` and `records`.
CREATE TABLE totals (
  tenant text COLLATE "C" NOT NULL,
  name   text COLLATE "C" NOT NULL,
  n      bigint NOT NULL,
  PRIMARY KEY (tenant, name)
) WITH (fillfactor = 20);

-- What is counted over all sessions. An account that holds nothing stays for a while with the position at which it came to
-- that, so that whoever asks what changed hears of it.
CREATE TABLE ledger (
  account         text COLLATE "C" PRIMARY KEY,
  reserved_tokens bigint NOT NULL DEFAULT 0,
  reserved_micros bigint NOT NULL DEFAULT 0,
  reserved_ms     bigint NOT NULL DEFAULT 0,
  used_tokens     bigint NOT NULL DEFAULT 0,
  used_micros     bigint NOT NULL DEFAULT 0,
  used_ms         bigint NOT NULL DEFAULT 0,
  ended           bigint NOT NULL DEFAULT 0,
  succeeded       bigint NOT NULL DEFAULT 0,
  ms              float8 NOT NULL DEFAULT 0,
  ms_squares      float8 NOT NULL DEFAULT 0,
  cost            float8 NOT NULL DEFAULT 0,
  cost_squares    float8 NOT NULL DEFAULT 0,
  failures        bigint NOT NULL DEFAULT 0,   -- the breaker: failures, open_until, probe, trips
  open_until      bigint,
  probe           uuid,
  trips           bigint NOT NULL DEFAULT 0,
  changed         bigint NOT NULL,             -- the last position when it changed
  changed_at      timestamptz NOT NULL DEFAULT now(),
  nothing         boolean NOT NULL GENERATED ALWAYS AS (
    reserved_tokens = 0 AND reserved_micros = 0 AND reserved_ms = 0 AND used_tokens = 0 AND used_micros = 0
    AND used_ms = 0 AND ended = 0 AND failures = 0 AND open_until IS NULL AND probe IS NULL AND trips = 0) STORED
) WITH (fillfactor = 30);
-- What changed: WHERE changed > ?
CREATE INDEX ledger_changed ON ledger (changed);

-- What rims keep for themselves. No part of any session, nor of the trail: what is removed is gone.
CREATE TABLE notes (
  space text COLLATE "C" NOT NULL,
  key   text COLLATE "C" NOT NULL,
  body  text NOT NULL,
  PRIMARY KEY (space, key)
);

-- The period of a time, for whoever looks for a record of which the time is known: that one, or 0.
CREATE FUNCTION period_of(at bigint) RETURNS integer LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT (extract(year FROM moment) * 100 + extract(month FROM moment))::integer
  FROM (SELECT to_timestamp(at / 1000.0) AT TIME ZONE 'UTC' AS moment) AS utc
$$;

-- JSON as people query it. PostgreSQL's jsonb has no character 0; it is shown as the sign for what cannot be shown.
CREATE FUNCTION shown(body text) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE STRICT AS $$
BEGIN
  RETURN body::jsonb;
EXCEPTION WHEN untranslatable_character THEN
  RETURN regexp_replace(body, '(?<!\\)((?:\\\\)*)\\u0000', '\1\\ufffd', 'g')::jsonb;
END $$;

-- Handoffs with the whole conversation up to each, for whoever reads with plain SQL.
CREATE VIEW agent_handoffs (
  id, session_id, from_agent, to_agent, reason, conversation_history, harness_trace_id, user_intent, created_at
) AS
SELECT
  h.id,
  s.id,
  h.from_agent,
  h.to_agent,
  shown(r.text) #>> '{event,request,reason}',
  (SELECT coalesce(jsonb_agg((m.body - 'at') || jsonb_build_object('timestamp', m.body -> 'at') ORDER BY m.n), '[]')
   FROM (SELECT said.n, shown(said.body) AS body FROM messages said
         WHERE said.session_no = h.session_no AND said.n > s.pruned_n
           AND said.n <= (shown(h.state) #>> '{mark,messages}')::bigint) AS m),
  shown(r.text) #>> '{event,request,trace_id}',
  shown(r.text) #>> '{event,request,user_intent}',
  to_timestamp(h.opened_at / 1000.0)
FROM handoffs h
JOIN sessions s ON s.no = h.session_no
JOIN records r ON r.position = h.no;
