-- The questions that reports answer. Latencies and spans are in milliseconds here, times are UTC.
CREATE VIEW messages AS -- each message, with its time
SELECT id, strftime('%Y-%m-%d %H:%M:%S', ts_ns / 1000000000, 'unixepoch') ||
           printf('.%09d', ts_ns % 1000000000) AS time,
       frame, conn, src, dst, op, role, label, call, latency_ns / 1e6 AS latency_ms,
       coalesce(sender_name, sender) AS sender, coalesce(receiver_name, receiver) AS receiver,
       term, size
FROM message;

CREATE VIEW calls AS -- each call, in the order of the requests
SELECT call, strftime('%Y-%m-%d %H:%M:%S', start_ns / 1000000000, 'unixepoch') ||
             printf('.%09d', start_ns % 1000000000) AS time,
       latency_ns / 1e6 AS latency_ms, outcome, label,
       caller_node, coalesce(caller_name, caller) AS caller,
       callee_node, coalesce(callee_name, callee) AS callee,
       mfa, request, coalesce(result, trim(coalesce(class, '') || ' ' || coalesce(reason, ''))) AS answer,
       parent, conn, start_frame, end_frame
FROM call;

CREATE VIEW latency AS -- calls by label and callee: how many, their outcomes, how long they took
SELECT label, callee_node, coalesce(callee_name, '') AS callee, count(*) AS calls,
       sum(outcome IN ('error', 'noproc', 'timeout', 'abandoned', 'noconnection')) AS errors,
       sum(latency_ns IS NULL) AS no_end,
       max(CASE WHEN place <= 0.5 THEN latency_ns END) / 1e6 AS p50_ms,
       max(CASE WHEN place <= 0.99 THEN latency_ns END) / 1e6 AS p99_ms,
       max(latency_ns) / 1e6 AS max_ms, sum(latency_ns) / 1e6 AS total_ms
FROM (SELECT *, CASE WHEN latency_ns IS NOT NULL THEN
                  percent_rank() OVER (PARTITION BY label, callee_node, callee_name, latency_ns IS NULL
                                       ORDER BY latency_ns) END AS place
      FROM call)
GROUP BY label, callee_node, coalesce(callee_name, '');

CREATE VIEW traffic AS -- messages from node to node, the heaviest kinds first
SELECT src, dst, role, coalesce(label, '') AS label, op, count(*) AS messages, sum(size) AS bytes,
       round(100.0 * sum(size) / sum(sum(size)) OVER (), 1) AS percent,
       sum(size) / count(*) AS mean, max(size) AS largest
FROM message
GROUP BY src, dst, role, coalesce(label, ''), op
ORDER BY bytes DESC;

CREATE VIEW links AS -- distribution connections, and what each end sent
SELECT c.conn, strftime('%Y-%m-%d %H:%M:%S', c.began_ns / 1000000000, 'unixepoch') AS began,
       (c.ended_ns - c.began_ns) / 1e9 AS seconds, c.state, c.reason,
       coalesce(l.src, c.a_node) AS src, coalesce(l.dst, c.b_node) AS dst,
       l.bytes, l.messages, l.ticks, l.gaps,
       l.round_trip_p50_ns / 1e6 AS round_trip_p50_ms, l.round_trip_p99_ns / 1e6 AS round_trip_p99_ms,
       l.data_segments, l.resent + l.resent_unseen AS resent, l.stalls, l.stalled_ns / 1e6 AS stalled_ms,
       l.tick_longest_ns / 1e9 AS tick_longest_s, l.closed_it
FROM connection AS c LEFT JOIN link AS l ON l.id IN (2 * c.conn, 2 * c.conn + 1)
WHERE c.conn NOT IN (SELECT conn FROM epmd)
ORDER BY c.conn, l.id;

CREATE VIEW doctor AS -- what is wrong, what is down now first; then what is fine, how calls ended, and what could not be checked
SELECT severity, code, title, text, detail, advice, certainty, proof, count,
       strftime('%Y-%m-%d %H:%M:%S', first_ns / 1000000000, 'unixepoch') AS first,
       strftime('%Y-%m-%d %H:%M:%S', last_ns / 1000000000, 'unixepoch') AS last,
       (SELECT group_concat(frame || ' ' || what, ', ') FROM evidence WHERE evidence.finding = finding.id)
         AS packets
FROM (SELECT *, instr('availability correctness performance hygiene', rank) AS by_rank FROM finding
      UNION ALL
      SELECT id, NULL, severity, NULL, NULL, NULL, text, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
             CASE severity WHEN 'down' THEN -1 WHEN 'fine' THEN 100 WHEN 'counted' THEN 101 ELSE 102 END, 0 FROM checked) AS finding
ORDER BY place, instr('error  warningnote', severity), by_rank, first_ns, finding.id;

CREATE VIEW trees AS -- calls, each followed by the calls that were made while it was served
WITH RECURSIVE tree(root, call, depth, path) AS (
  SELECT call, call, 0, printf('%012d', call) FROM call WHERE parent IS NULL
  UNION ALL
  SELECT root, child.call, depth + 1, path || printf('.%012d', child.call)
  FROM tree JOIN call AS child ON child.parent = tree.call
  WHERE depth < 100)
SELECT root, depth, call, label, mfa, caller_node, callee_node, latency_ns / 1e6 AS latency_ms, outcome
FROM tree JOIN call USING (call)
ORDER BY path;
