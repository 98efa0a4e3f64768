-- What is counted over all sessions: budgets, breakers, how well each agent does what, experiments.
-- Few and hot: a batch writes each account that it changes once.
CREATE TABLE ledger (
  account TEXT PRIMARY KEY,
  entry   TEXT NOT NULL
) STRICT, WITHOUT ROWID;
