-- Which hours of which machine have gaps? Lost frames within files, and holes between files.

WITH within AS (
  SELECT machine, name, rate, began, unnest(gaps, recursive := true) FROM takes WHERE len(gaps) > 0
),
neighbours AS (
  SELECT machine, name, began, max(ended) OVER before AS ended
  FROM takes
  WINDOW before AS (
    PARTITION BY machine, name ORDER BY began ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
),
missing AS (
  SELECT machine, name, cause,
    began + to_microseconds("position" * 1000000 // rate) AS since,
    began + to_microseconds(("position" + length) * 1000000 // rate) AS until
  FROM within
  UNION ALL
  -- In an hour, the clocks of a card and of a machine may differ by a little less than two seconds.
  SELECT machine, name, 'no file', ended, began FROM neighbours WHERE began > ended + INTERVAL 2 SECONDS
),
by_hour AS (
  SELECT *, unnest(generate_series(date_trunc('hour', since), until, INTERVAL 1 HOUR)) AS hour FROM missing
)
SELECT machine, name, hour, count(*) AS gaps,
  round(sum(epoch(least(until, hour + INTERVAL 1 HOUR)) - epoch(greatest(since, hour))), 3) AS seconds,
  string_agg(DISTINCT cause, ', ' ORDER BY cause) AS causes
FROM by_hour
WHERE until > hour
GROUP BY ALL
ORDER BY machine, name, hour;
