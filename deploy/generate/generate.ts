import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { writeRules } from "./alerts/rules.ts";
import { buildDashboards } from "./dashboards/dashboards.ts";

const folder = join(import.meta.dirname, "..");
const grafana = join(folder, "grafana");

rmSync(grafana, { recursive: true, force: true });
mkdirSync(grafana);
for (const [name, dashboard] of buildDashboards()) {
  writeFileSync(join(grafana, `${name}.json`), `${JSON.stringify(dashboard, undefined, 2)}\n`);
}
writeFileSync(join(folder, "alerts.yaml"), writeRules());
