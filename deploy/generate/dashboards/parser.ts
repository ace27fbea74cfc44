import type { DashboardPlan, Row } from "./plan.ts";
import { maxOf, rateOf } from "./promql.ts";

const lines: Row = {
  title: "Lines",
  panels: [
    {
      title: "Lines by format",
      text: "Lines a second that reached a format, parsed or refused by it.",
      unit: "eps",
      form: "areas",
      queries: [rateOf("engage_parser_items_total", { labels: ["format"] })],
    },
    {
      title: "Records",
      text: "Records a second that were returned.",
      unit: "eps",
      queries: [rateOf("engage_parser_records_total", { legend: "records" })],
    },
    {
      title: "Lines without a record",
      text: "Lines a second without a record, by reason.",
      unit: "eps",
      queries: [rateOf("engage_parser_failed_items_total", { labels: ["reason"] })],
    },
    {
      title: "Separators in data",
      text: "Separators a second that were found inside data.",
      unit: "cps",
      queries: [rateOf("engage_parser_separator_collisions_total", { legend: "separators" })],
    },
    {
      title: "Dead letters",
      text: "Lines a second that were kept or lost as dead letters, and 1 while none can be written.",
      unit: "short",
      queries: [
        rateOf("engage_parser_dead_letters_written_total", { legend: "kept" }),
        rateOf("engage_parser_dead_letters_dropped_total", { legend: "lost" }),
        maxOf("engage_parser_dead_letters_failing", { legend: "failing" }),
      ],
    },
  ],
};

const threads: Row = {
  title: "Threads",
  panels: [
    {
      title: "Calls",
      text: "Calls a second by the thread that parsed them.",
      unit: "reqps",
      queries: [rateOf("engage_parser_batches_total", { labels: ["where"] })],
    },
    {
      title: "Bytes",
      text: "Bytes of content a second by the thread that parsed them.",
      unit: "Bps",
      queries: [rateOf("engage_parser_batch_bytes_total", { labels: ["where"] })],
    },
    {
      title: "Refused calls, crashes",
      text: "Calls a second that were refused since too many waited for workers, and workers that ended unexpectedly.",
      unit: "cps",
      queries: [
        rateOf("engage_parser_refused_calls_total", { legend: "refused" }),
        rateOf("engage_parser_worker_crashes_total", { legend: "crashes" }),
      ],
    },
  ],
};

export const parser: DashboardPlan = {
  name: "parser",
  title: "engage: parser",
  text: "Lines of logs and their records.",
  rows: [lines, threads],
};
