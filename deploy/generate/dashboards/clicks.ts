import type { Row } from "./plan.ts";
import { maxOf, rateOf } from "./promql.ts";

export const clicks: Row = {
  title: "Clicks",
  panels: [
    {
      title: "Clicks",
      text: "Reported clicks a second by whether they were kept, and those that the ingest of the platform accepted.",
      unit: "cps",
      queries: [
        rateOf("engage_webhook_clicks_total", { labels: ["outcome"] }),
        rateOf("engage_webhook_click_forwarded_total", { legend: "forwarded" }),
      ],
    },
    {
      title: "Failures of the ingest",
      text: "Calls a second that are retried, clicks that the ingest refused, and files that could not be read or written.",
      unit: "cps",
      queries: [
        rateOf("engage_webhook_click_forward_retries_total", { labels: ["reason"] }),
        rateOf("engage_webhook_click_dead_letters_total", { legend: "refused" }),
        rateOf("engage_webhook_click_forward_errors_total", { legend: "files" }),
      ],
    },
    {
      title: "Clicks that wait",
      text: "Bytes of clicks that are not forwarded yet.",
      unit: "bytes",
      queries: [maxOf("engage_webhook_click_unforwarded_bytes")],
    },
    {
      title: "Oldest click",
      text: "Age of the first click that is not forwarded yet; 0 when all are.",
      unit: "s",
      queries: [maxOf("engage_webhook_click_oldest_unforwarded_seconds")],
    },
  ],
};
