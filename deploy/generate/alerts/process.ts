import type { Alert } from "./alert.ts";

/** Keeps the series of processes that serve engage, since others have metrics of the same names. */
const ofServers = 'and on (job, instance) engage_event_loop_delay_seconds{quantile="1"}';

export const processAlerts: readonly Alert[] = [
  {
    name: "EngageDown",
    severity: "critical",
    lasts: "2m",
    expression:
      'up == 0 and on (job, instance) last_over_time(engage_event_loop_delay_seconds{quantile="1"}[1d])',
    meaning: "A server that was scraped in the last day does not respond.",
    actions:
      "Ask it for `/healthz`. Without a response, see whether its process runs, and the last lines of its log. With one, `metrics.auth` may refuse the scrape: give Prometheus a key. Senders of webhooks repeat what was not acknowledged, and a restart continues what was.",
  },
  {
    name: "EngageRestarts",
    severity: "warning",
    lasts: "0m",
    expression: `changes(process_start_time_seconds[30m]) > 2 ${ofServers}`,
    meaning: "A server has started more than twice within half an hour.",
    actions:
      "The log has the reason just before each start: a faulty setting (`engage config --check` finds it without a start), a port in use, a full disk. Where it has none, the process was killed: compare the memory that it uses with the limit of its container.",
  },
  {
    name: "EngageFewFilesLeft",
    severity: "warning",
    lasts: "10m",
    expression: `process_open_fds / process_max_fds > 0.8 ${ofServers}`,
    meaning: "A server has opened more than 80 % of the files and connections that it may.",
    actions:
      "Raise the limit of the process (`LimitNOFILE` of systemd, `ulimit -n`), or lower `limits.maxConnections`. The log of calls says which addresses keep connections open.",
  },
  {
    name: "EngageEventLoopLate",
    severity: "warning",
    lasts: "5m",
    expression: 'engage_event_loop_delay_seconds{quantile="0.99"} > 0.1',
    meaning: "A process is overloaded, so that all of its calls are late.",
    actions:
      "See which method takes the time (`engage_call_duration_seconds`), and whether the machine has idle processors. Add a processor or a replica; lower `limits` where one caller takes too much.",
  },
];
