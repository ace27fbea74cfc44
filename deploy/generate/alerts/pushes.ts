import type { Alert } from "./alert.ts";

export const pushAlerts: readonly Alert[] = [
  {
    name: "EngagePushesFail",
    severity: "warning",
    lasts: "10m",
    expression:
      'sum by (job) (rate(engage_channel_requests_total{outcome=~"failed|retry"}[10m])) / sum by (job) (rate(engage_channel_requests_total[10m])) > 0.05',
    meaning: "More than 5 % of the requests to receivers fail.",
    actions:
      "The label `reason` of `engage_channel_requests_total` says why; the page of the task in the console names its batches. `engage check` tests a receiver against the contract.",
  },
  {
    name: "EngageRunsRefused",
    severity: "warning",
    lasts: "0m",
    expression: 'increase(engage_channel_runs_total{outcome="refused"}[1h]) > 0',
    meaning: "The batches of a run could not be prepared, so that its messages are not sent.",
    actions:
      "The task has the reason, and the log too: a cohort that no longer exists, an audience without a property, a channel that was changed. A new run begins from the task.",
  },
  {
    name: "EngageTimesMissed",
    severity: "warning",
    lasts: "0m",
    expression: 'increase(engage_channel_scheduled_times_total{outcome=~"missed|refused"}[1h]) > 0',
    meaning: "A scheduled time passed without a run.",
    actions:
      "`missed`: no server ran at that time or within an hour after it. `refused`: the definition of the task cannot be read, so that its schedule has ended; the log names it. Run the task by hand if its messages are still of use.",
  },
  {
    name: "EngagePushStoreFails",
    severity: "critical",
    lasts: "5m",
    expression: "sum by (job, what) (rate(engage_channel_errors_total[10m])) > 0",
    meaning: "The store of channels, or the audience of a task, fails.",
    actions:
      "The log has the error. Prepared batches are kept and are sent when the store replies again. Audiences are read from the event store: see whether it fails too.",
  },
];
