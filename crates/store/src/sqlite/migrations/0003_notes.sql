-- What rims keep for themselves, such as where somebody wants to be told of a task. No part of any session, nor of the trail:
-- it may hold secrets of others, and what is removed is gone.
CREATE TABLE notes (
  space TEXT NOT NULL,
  key   TEXT NOT NULL,
  body  TEXT NOT NULL,
  PRIMARY KEY (space, key)
) STRICT, WITHOUT ROWID;
