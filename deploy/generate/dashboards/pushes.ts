import type { DashboardPlan, Row } from "./plan.ts";
import { quantileOf, rateOf } from "./promql.ts";

const runs: Row = {
  title: "Runs",
  panels: [
    {
      title: "Prepared runs",
      text: "Runs a second by the outcome of their preparation.",
      unit: "cps",
      queries: [rateOf("engage_channel_runs_total", { labels: ["outcome"] })],
    },
    {
      title: "Scheduled times",
      text: "Scheduled times a second: a run began, or the time was missed or refused.",
      unit: "cps",
      queries: [rateOf("engage_channel_scheduled_times_total", { labels: ["outcome"] })],
    },
  ],
};

const requests: Row = {
  title: "Requests to receivers",
  panels: [
    {
      title: "Requests",
      text: "Requests a second by outcome and reason.",
      unit: "reqps",
      queries: [rateOf("engage_channel_requests_total", { labels: ["outcome", "reason"] })],
    },
    {
      title: "Messages",
      text: "Messages a second in these requests.",
      unit: "mps",
      form: "areas",
      queries: [rateOf("engage_channel_messages_total", { labels: ["outcome", "reason"] })],
    },
    {
      title: "Duration",
      text: "How long receivers take for a request.",
      unit: "s",
      queries: [
        quantileOf(0.5, "engage_channel_request_seconds"),
        quantileOf(0.95, "engage_channel_request_seconds"),
      ],
    },
    {
      title: "Warnings and failures",
      text: "Responses a second that were accepted with a warning, and failures of the store and of audiences.",
      unit: "cps",
      queries: [
        rateOf("engage_channel_warnings_total", { legend: "warnings" }),
        rateOf("engage_channel_errors_total", { labels: ["what"] }),
      ],
    },
  ],
};

export const pushes: DashboardPlan = {
  name: "pushes",
  title: "engage: pushes",
  text: "Runs of tasks, and the requests with their messages to receivers.",
  rows: [runs, requests],
};
