-- The first schema. Every index stands below the query that needs it; there is no other.
-- Inside, sessions and handoffs go by small numbers; UUIDs are 16 bytes, times milliseconds since 1970, JSON is text.

CREATE TABLE sessions (
  no          INTEGER PRIMARY KEY,
  id          TEXT NOT NULL UNIQUE,
  tenant      TEXT NOT NULL,
  version     INTEGER NOT NULL,
  head_seq    INTEGER NOT NULL,
  head_hash   BLOB NOT NULL,
  pruned_seq  INTEGER NOT NULL,  -- the last record that was removed; 0 when none was
  pruned_hash BLOB NOT NULL,
  opened_at   INTEGER NOT NULL,
  ended_at    INTEGER,
  state       TEXT NOT NULL
) STRICT;
-- Sessions of a tenant, latest first: WHERE tenant = ? ORDER BY no DESC
CREATE INDEX sessions_by_tenant ON sessions (tenant);
-- Sessions that are over and still have records: ORDER BY ended_at
CREATE INDEX sessions_over ON sessions (ended_at) WHERE ended_at IS NOT NULL AND pruned_seq < head_seq;

-- A position is one more than the last one. None is used twice: whatever removes records first writes one into the
-- book of the house, and that book loses none.
CREATE TABLE records (
  position   INTEGER PRIMARY KEY,
  session_no INTEGER NOT NULL,
  seq        INTEGER NOT NULL,
  at         INTEGER NOT NULL,
  event_type TEXT NOT NULL,
  handoff_no INTEGER,
  hash       BLOB NOT NULL,
  text       TEXT NOT NULL
) STRICT;
-- The chain of a session: WHERE session_no = ? AND seq > ? ORDER BY seq
CREATE UNIQUE INDEX records_by_session ON records (session_no, seq);
-- The trail of a handoff: WHERE handoff_no = ? AND position > ? ORDER BY position
CREATE INDEX records_by_handoff ON records (handoff_no) WHERE handoff_no IS NOT NULL;

-- In which positions the records of each ten minutes are. Cheaper than an index over every record's time, and exact
-- enough to know where to look.
CREATE TABLE spans (
  span  INTEGER PRIMARY KEY,
  first INTEGER NOT NULL,
  last  INTEGER NOT NULL
) STRICT;

-- The number of a handoff is the position of the record that initiated it; the request is there, the result is in the
-- record that closed it.
CREATE TABLE handoffs (
  no              INTEGER PRIMARY KEY,
  id              BLOB NOT NULL UNIQUE,
  session_no      INTEGER NOT NULL,
  n               INTEGER NOT NULL,
  from_agent      TEXT NOT NULL,
  to_agent        TEXT NOT NULL,
  type            TEXT NOT NULL,
  status          TEXT NOT NULL,
  level           INTEGER NOT NULL,
  task_id         TEXT,           -- NULL where the task has no id of its own and goes by the handoff's
  offered_since   INTEGER,
  in_process      INTEGER NOT NULL,
  due_at          INTEGER,
  opened_at       INTEGER NOT NULL,
  closed_at       INTEGER,
  closed_position INTEGER,
  state           TEXT NOT NULL,
  CHECK ((closed_at IS NULL) = (due_at IS NOT NULL)) -- every open handoff has a due time
) STRICT;
-- The history of a session: WHERE session_no = ? AND n > ? ORDER BY n
CREATE UNIQUE INDEX handoffs_by_session ON handoffs (session_no, n);
-- What a session holds open: WHERE session_no = ? AND closed_at IS NULL
CREATE INDEX handoffs_open ON handoffs (session_no) WHERE closed_at IS NULL;
-- What is due, and all that is open: WHERE due_at <= ? ORDER BY due_at
CREATE INDEX handoffs_due ON handoffs (due_at) WHERE due_at IS NOT NULL;
-- The queue of an agent: WHERE to_agent = ? AND offered_since IS NOT NULL ORDER BY level, offered_since, no
CREATE INDEX handoffs_queue ON handoffs (to_agent, level, offered_since, no) WHERE offered_since IS NOT NULL;
-- Audit by task, by source, by target
CREATE INDEX handoffs_by_task ON handoffs (task_id) WHERE task_id IS NOT NULL;
CREATE INDEX handoffs_by_source ON handoffs (from_agent);
CREATE INDEX handoffs_by_target ON handoffs (to_agent);
-- What ended badly: WHERE status = ?. Open ones are found by handoffs_due, and completed ones are everywhere.
CREATE INDEX handoffs_ended_badly ON handoffs (status)
  WHERE status IN ('failed', 'timed_out', 'escalated', 'cancelled');

CREATE TABLE messages (
  session_no INTEGER NOT NULL,
  n          INTEGER NOT NULL,
  at         INTEGER NOT NULL,
  tokens     INTEGER NOT NULL,
  body       TEXT NOT NULL,
  PRIMARY KEY (session_no, n)
) STRICT, WITHOUT ROWID;

-- Variables (1), artifacts (2), locks (3) and decisions (4).
CREATE TABLE items (
  session_no INTEGER NOT NULL,
  kind       INTEGER NOT NULL,
  key        TEXT NOT NULL,
  body       TEXT NOT NULL,
  PRIMARY KEY (session_no, kind, key)
) STRICT, WITHOUT ROWID;

-- Answers by idempotency key; `seq` is the session's last record when the answer was given.
CREATE TABLE keys (
  session_no INTEGER NOT NULL,
  key        TEXT NOT NULL,
  digest     BLOB NOT NULL,
  answer     TEXT NOT NULL,
  seq        INTEGER NOT NULL,
  PRIMARY KEY (session_no, key)
) STRICT, WITHOUT ROWID;

-- Returns that wait; taking one removes its row, so the table stays as small as the inboxes are.
-- `position` is that of the record which has the result.
CREATE TABLE returns (
  of         BLOB PRIMARY KEY,
  session_no INTEGER NOT NULL,
  to_agent   TEXT NOT NULL,
  position   INTEGER NOT NULL,
  seq        INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
-- The inbox of an agent, oldest first: WHERE to_agent = ? ORDER BY position
CREATE INDEX returns_by_agent ON returns (to_agent, position);

CREATE TABLE agents (
  id       TEXT PRIMARY KEY,
  profile  TEXT NOT NULL,
  standing TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Handoffs of a session by source and by who has or had them last.
CREATE TABLE counts (
  session_no INTEGER NOT NULL,
  from_agent TEXT NOT NULL,
  to_agent   TEXT NOT NULL,
  n          INTEGER NOT NULL,
  PRIMARY KEY (session_no, from_agent, to_agent)
) STRICT, WITHOUT ROWID;

-- The same over all sessions of a tenant.
CREATE TABLE tenant_counts (
  tenant     TEXT NOT NULL,
  from_agent TEXT NOT NULL,
  to_agent   TEXT NOT NULL,
  n          INTEGER NOT NULL,
  PRIMARY KEY (tenant, from_agent, to_agent)
) STRICT, WITHOUT ROWID;

-- Handoffs of a tenant by status, and its `sessions` and `records`.
CREATE TABLE totals (
  tenant TEXT NOT NULL,
  name   TEXT NOT NULL,
  n      INTEGER NOT NULL,
  PRIMARY KEY (tenant, name)
) STRICT, WITHOUT ROWID;

-- Handoffs with the whole conversation up to each, for whoever reads the file with plain SQL.
CREATE VIEW agent_handoffs (
  id, session_id, from_agent, to_agent, reason, conversation_history, harness_trace_id, user_intent, created_at
) AS
SELECT
  lower(substr(hex(h.id), 1, 8) || '-' || substr(hex(h.id), 9, 4) || '-' || substr(hex(h.id), 13, 4) || '-'
    || substr(hex(h.id), 17, 4) || '-' || substr(hex(h.id), 21)),
  s.id,
  h.from_agent,
  h.to_agent,
  json_extract(r.text, '$.event.request.reason'),
  (SELECT json_group_array(json(said.message))
   FROM (SELECT json_remove(json_set(m.body, '$.timestamp', json_extract(m.body, '$.at')), '$.at') AS message
         FROM messages m
         WHERE m.session_no = h.session_no AND m.n <= json_extract(h.state, '$.mark.messages')
         ORDER BY m.n) AS said),
  json_extract(r.text, '$.event.request.trace_id'),
  json_extract(r.text, '$.event.request.user_intent'),
  strftime('%Y-%m-%dT%H:%M:%S', h.opened_at / 1000, 'unixepoch') || printf('.%03dZ', h.opened_at % 1000)
FROM handoffs h
JOIN sessions s ON s.no = h.session_no
JOIN records r ON r.position = h.no;
