-- Partitions of the tables that only grow, one for each month.

-- Makes those that are missing. Others may do the same at the same time, and nobody who reads or writes has to wait: a table
-- is made by itself, and put in its place when it is ready.
CREATE FUNCTION make_partitions_v1(periods integer[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_period integer;
  v_table text;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('handover partitions'), hashtext(current_schema()));
  FOREACH v_period IN ARRAY periods LOOP
    FOREACH v_table IN ARRAY ARRAY['records', 'messages'] LOOP
      IF to_regclass(format('%I.%I', current_schema(), v_table || '_' || v_period)) IS NULL THEN
        EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING ALL)', v_table || '_' || v_period, v_table);
        EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES IN (%s)', v_table, v_table || '_' || v_period, v_period);
      END IF;
    END LOOP;
  END LOOP;
END $$;

-- Removing what was kept long enough: the beginning of a chain, and what hangs on its records. The session stays and
-- remembers where its chain begins now. Records and messages are only not seen any more; they go with their partitions.
-- A part that does not fit any more is a conflict, and nothing is removed.
CREATE FUNCTION prune_v1(p_session text[], p_through bigint[], p_hash bytea[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  i integer;
  v_s record;
BEGIN
  FOR i IN 1 .. cardinality(p_session) LOOP
    SELECT s.no, s.tenant, s.pruned_seq, s.head_seq = p_through[i] AS whole, r.position INTO v_s
      FROM sessions s JOIN records r ON r.session_no = s.no AND r.seq = p_through[i]
      WHERE s.id = p_session[i] AND r.hash = p_hash[i] AND s.pruned_seq < p_through[i] AND s.ended_at IS NOT NULL;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'a part of "%" no longer fits', p_session[i] USING ERRCODE = 'HO003';
    END IF;
    WITH gone AS (
      DELETE FROM handoffs WHERE session_no = v_s.no AND no <= v_s.position RETURNING no, from_agent, to_agent, status
    ), closed AS (
      DELETE FROM open USING gone WHERE open.no = gone.no
    ), pairs AS (
      SELECT from_agent, to_agent, count(*) AS n FROM gone GROUP BY from_agent, to_agent
    ), of_session AS (
      UPDATE counts c SET n = c.n - p.n FROM pairs p
        WHERE c.session_no = v_s.no AND c.from_agent = p.from_agent AND c.to_agent = p.to_agent
    ), of_tenant AS (
      UPDATE tenant_counts c SET n = c.n - p.n FROM pairs p
        WHERE c.tenant = v_s.tenant AND c.from_agent = p.from_agent AND c.to_agent = p.to_agent
    )
    UPDATE totals t SET n = t.n - g.n
      FROM (SELECT status AS name, count(*) AS n FROM gone GROUP BY status
            UNION ALL SELECT 'records', p_through[i] - v_s.pruned_seq) g
      WHERE t.tenant = v_s.tenant AND t.name = g.name;
    DELETE FROM counts WHERE session_no = v_s.no AND n <= 0;
    DELETE FROM tenant_counts WHERE tenant = v_s.tenant AND n <= 0;
    DELETE FROM returns WHERE session_no = v_s.no AND seq <= p_through[i];
    DELETE FROM keys WHERE session_no = v_s.no AND seq <= p_through[i];
    IF v_s.whole THEN
      DELETE FROM items WHERE session_no = v_s.no;
    END IF;
    UPDATE sessions SET pruned_seq = p_through[i], pruned_hash = p_hash[i],
        over_at = CASE WHEN v_s.whole THEN NULL ELSE over_at END,
        pruned_n = CASE WHEN v_s.whole THEN coalesce((SELECT max(n) FROM messages WHERE session_no = v_s.no), 0)
                   ELSE pruned_n END
      WHERE no = v_s.no;
  END LOOP;
END $$;

-- Drops the partitions of a month, unless something in them still lives. Whoever writes into that month waits for the look;
-- everybody waits for the drop, which takes no time, or is given up when somebody reads for too long.
CREATE FUNCTION drop_period_v1(p_period integer) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  v_records text := 'records_' || p_period;
  v_messages text := 'messages_' || p_period;
  v_lives boolean;
BEGIN
  PERFORM set_config('lock_timeout', '300ms', true);
  PERFORM make_partitions_v1(ARRAY[p_period]);
  EXECUTE format('LOCK TABLE %I, %I IN SHARE ROW EXCLUSIVE MODE', v_records, v_messages);
  EXECUTE format(
    'SELECT EXISTS (SELECT FROM %I r JOIN sessions s ON s.no = r.session_no WHERE r.seq > s.pruned_seq)
       OR EXISTS (SELECT FROM %I m JOIN sessions s ON s.no = m.session_no WHERE m.n > s.pruned_n)',
    v_records, v_messages) INTO v_lives;
  IF v_lives THEN
    RETURN false;
  END IF;
  EXECUTE format('DROP TABLE %I, %I', v_records, v_messages);
  RETURN true;
END $$;
