-- The files of all machines: a row for each sidecar in the bundles. Members that no query uses are not parsed.
-- Times are UTC. "ask" sets the variable; in the shell of DuckDB: SET VARIABLE bundles = 'bundles/*.ndjson.gz';

CREATE VIEW takes AS
SELECT *, began + to_microseconds(round(duration * 1e6)::BIGINT) AS ended
FROM read_json(
  getvariable('bundles'),
  format = 'newline_delimited',
  columns = {
    machine: 'VARCHAR', name: 'VARCHAR', series: 'VARCHAR', id: 'VARCHAR', segment: 'INTEGER',
    object: 'VARCHAR', began: 'TIMESTAMP', duration: 'DOUBLE', rate: 'INTEGER', bytes: 'BIGINT',
    peak: 'DOUBLE', clipped: 'BIGINT', reason: 'VARCHAR', exit: 'INTEGER',
    boot: 'VARCHAR', zone: 'VARCHAR', clock: 'VARCHAR',
    frames: 'STRUCT(captured BIGINT, lost BIGINT, "onDisk" BIGINT)',
    gaps: 'STRUCT("position" BIGINT, length BIGINT, cause VARCHAR)[]'
  }
);
