import { stringify } from "yaml";
import type { AlertGroup } from "./alert.ts";
import { alertGroups } from "./alerts.ts";

/** The server of the demo, whose `/docs/` has the runbook. Other deployments replace it. */
export const docsUrl = "http://127.0.0.1:8080/docs";

const head = `# Alerts for Prometheus, written by \`npm run monitoring\`: change deploy/generate/alerts/ instead.
# Runbooks are pages of a server: replace ${docsUrl} with the address of yours.
`;

/**
 * Writes the rules in the format of Prometheus:
 * https://prometheus.io/docs/prometheus/latest/configuration/alerting_rules/
 */
export function writeRules(): string {
  return head + stringify({ groups: alertGroups.map(toGroup) }, { lineWidth: 0 });
}

function toGroup({ title, alerts }: AlertGroup): object {
  return {
    name: `engage ${title.toLowerCase()}`,
    rules: alerts.map(({ name, severity, lasts, expression, meaning }) => ({
      alert: name,
      expr: expression,
      for: lasts,
      labels: { severity },
      annotations: { summary: meaning, runbook_url: `${docsUrl}/reference/alerts#${name.toLowerCase()}` },
    })),
  };
}
