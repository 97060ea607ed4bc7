-- Which files have times that are not exact? Recorded while the clock of the machine was not synchronized.

SELECT machine, boot, min(began) AS since, max(ended) AS until, count(*) AS files
FROM takes
WHERE clock IS DISTINCT FROM 'synchronized'
GROUP BY ALL
ORDER BY machine, since;
