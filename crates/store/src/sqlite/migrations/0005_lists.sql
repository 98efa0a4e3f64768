-- Lists of handoffs are those of one tenant: with its name in the row an index leads to them, however many others have.
ALTER TABLE handoffs ADD COLUMN tenant TEXT NOT NULL DEFAULT '';
UPDATE handoffs SET tenant = (SELECT tenant FROM sessions WHERE no = handoffs.session_no);

-- Handoffs of a tenant in order: WHERE tenant = ? ORDER BY no. By source, by target, by both of them; the audit looks here, too.
CREATE INDEX handoffs_by_tenant ON handoffs (tenant);
DROP INDEX handoffs_by_source;
CREATE INDEX handoffs_by_source ON handoffs (tenant, from_agent);
DROP INDEX handoffs_by_target;
CREATE INDEX handoffs_by_target ON handoffs (tenant, to_agent);
CREATE INDEX handoffs_by_pair ON handoffs (tenant, from_agent, to_agent);

-- What is open: WHERE tenant = ? AND status = ? ORDER BY no, and the same of one target. The agent at the end saves a look at
-- the row where one is asked for as well.
CREATE INDEX handoffs_open_by_status ON handoffs (tenant, status, no, from_agent) WHERE due_at IS NOT NULL;
CREATE INDEX handoffs_open_by_target ON handoffs (tenant, to_agent, status, no, from_agent) WHERE due_at IS NOT NULL;

-- What is over: WHERE tenant = ? AND status = ? ORDER BY no, however many are open. The agents at the end save a look at the row.
DROP INDEX handoffs_ended_badly;
CREATE INDEX handoffs_closed ON handoffs (tenant, status, no, from_agent, to_agent) WHERE due_at IS NULL;
