-- How much of each day does each machine have? Seconds that were captured, files, bytes.

SELECT machine, name, date_trunc('day', began)::DATE AS day, count(*) AS files,
  round(sum(duration - frames.lost / rate), 1) AS seconds, sum(bytes) AS bytes
FROM takes
GROUP BY ALL
ORDER BY machine, name, day;
