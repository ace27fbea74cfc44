import type { DashboardPlan, Row } from "./plan.ts";
import { quantileOf, rateOf, sumOf } from "./promql.ts";

const calls: Row = {
  title: "Queries",
  panels: [
    {
      title: "Queries by outcome",
      text: "Finished queries a second: `ok`, or the kind of their error.",
      unit: "reqps",
      form: "areas",
      queries: [rateOf("engage_analysis_queries_total", { labels: ["outcome"] })],
    },
    {
      title: "Queries by operation",
      text: "Finished queries a second by operation and engine.",
      unit: "reqps",
      queries: [rateOf("engage_analysis_queries_total", { labels: ["operation", "engine"] })],
    },
    {
      title: "Duration",
      text: "95 of 100 queries are shorter, from the call to the end of the response.",
      unit: "s",
      queries: [quantileOf(0.95, "engage_analysis_query_seconds", { labels: ["operation"] })],
    },
    {
      title: "Sources of results",
      text: "Results a second that were computed, shared with another caller, or kept from before.",
      unit: "cps",
      form: "areas",
      queries: [rateOf("engage_analysis_answers_total", { labels: ["source"] })],
    },
  ],
};

const store: Row = {
  title: "Event store",
  panels: [
    {
      title: "In progress",
      text: "Queries that have begun and not finished, including those that wait.",
      unit: "short",
      queries: [sumOf("engage_analysis_queries_running", { labels: ["operation"] })],
    },
    {
      title: "Slots",
      text: "Queries that the event store is running, and those that wait for a slot.",
      unit: "short",
      queries: [
        sumOf("engage_events_queries_running", { legend: "running" }),
        sumOf("engage_events_queries_waiting", { legend: "waiting" }),
      ],
    },
  ],
};

export const queries: DashboardPlan = {
  name: "queries",
  title: "engage: queries",
  text: "Queries of events: how many, how long, and what they wait for.",
  rows: [calls, store],
};
