import type { Alert } from "./alert.ts";

export const clickAlerts: readonly Alert[] = [
  {
    name: "EngageClicksLost",
    severity: "critical",
    lasts: "0m",
    expression: 'increase(engage_webhook_clicks_total{outcome="failed"}[15m]) > 0',
    meaning: "Reports of clicks are refused, since they cannot be written.",
    actions:
      "Free the disk of the data folder, or repair PostgreSQL. Callers got `UNAVAILABLE` and may report the clicks again.",
  },
  {
    name: "EngageClicksRefused",
    severity: "warning",
    lasts: "0m",
    expression: "increase(engage_webhook_click_dead_letters_total[1h]) > 0",
    meaning: "The ingest of the platform has refused clicks.",
    actions:
      "`engage dead-letters list click` shows them with its reasons, and `engage dead-letters replay click` sends them again.",
  },
  {
    name: "EngageClickFilesFail",
    severity: "warning",
    lasts: "0m",
    expression: "increase(engage_webhook_click_forward_errors_total[1h]) > 0",
    meaning: "Files of clicks cannot be read or written.",
    actions: "The log names the file and the error: see the disk of the data folder.",
  },
  {
    name: "EngageClicksWait",
    severity: "warning",
    lasts: "5m",
    expression: "engage_webhook_click_oldest_unforwarded_seconds > 3600",
    meaning: "Clicks have not reached the ingest of the platform for an hour.",
    actions:
      "They wait in the data folder. `engage_webhook_click_forward_retries_total` says whether the ingest is unavailable (`retry`) or does not know the app id of `webhook.clicks.forward` (`unknown_appid`).",
  },
];
