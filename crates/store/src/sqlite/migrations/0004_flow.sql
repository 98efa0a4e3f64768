-- Where sessions stand in their workflows: small words beside the state, so that nobody reads all of it to count.
ALTER TABLE sessions ADD COLUMN workflow TEXT;
ALTER TABLE sessions ADD COLUMN flow_state TEXT;
UPDATE sessions SET workflow = json_extract(state, '$.workflow'), flow_state = json_extract(state, '$.flow.state')
  WHERE json_extract(state, '$.flow.state') IS NOT NULL;
-- Sessions of a workflow in a state, latest first, and how many: WHERE tenant = ? AND workflow = ? AND flow_state = ?
-- ORDER BY no DESC
CREATE INDEX sessions_by_flow ON sessions (tenant, workflow, flow_state) WHERE workflow IS NOT NULL;
