import {
  type Dashboard,
  DashboardBuilder,
  DashboardCursorSync,
  DashboardLinkBuilder,
  DashboardLinkType,
  DatasourceVariableBuilder,
  QueryVariableBuilder,
  RowBuilder,
  VariableRefresh,
} from "@grafana/grafana-foundation-sdk/dashboard";
import { events } from "./events.ts";
import { overview } from "./overview.ts";
import { buildPanel, source } from "./panels.ts";
import { parser } from "./parser.ts";
import type { DashboardPlan } from "./plan.ts";
import { pushes } from "./pushes.ts";
import { queries } from "./queries.ts";
import { webhooks } from "./webhooks.ts";

export const plans: readonly DashboardPlan[] = [overview, webhooks, events, queries, pushes, parser];

/** Builds the dashboards in the format of Grafana, by the names of their files. */
export function buildDashboards(): ReadonlyMap<string, Dashboard> {
  return new Map(plans.map((plan) => [plan.name, buildDashboard(plan)]));
}

function buildDashboard({ name, title, text, rows }: DashboardPlan): Dashboard {
  const builder = new DashboardBuilder(title)
    .uid(`engage-${name}`)
    .description(text)
    .tags(["engage"])
    .timezone("browser")
    .time({ from: "now-6h", to: "now" })
    .refresh("30s")
    .tooltip(DashboardCursorSync.Crosshair)
    .editable()
    .link(
      new DashboardLinkBuilder("engage")
        .type(DashboardLinkType.Dashboards)
        .tags(["engage"])
        .asDropdown(true)
        .includeVars(true)
        .keepTime(true),
    )
    .variables([
      new DatasourceVariableBuilder("source").label("Source").type("prometheus"),
      chosen("job", "label_values(engage_event_loop_delay_seconds, job)"),
      chosen("instance", 'label_values(engage_event_loop_delay_seconds{job=~"$job"}, instance)'),
    ]);
  let id = 0;
  for (const row of rows) {
    id += 1;
    builder.withRow(new RowBuilder(row.title).id(id));
    for (const panel of row.panels) {
      id += 1;
      builder.withPanel(buildPanel(panel, id));
    }
  }
  return builder.build();
}

/** A variable with one, several or all values of a label. */
function chosen(label: string, query: string): QueryVariableBuilder {
  return new QueryVariableBuilder(label)
    .label(label)
    .datasource(source)
    .query(query)
    .refresh(VariableRefresh.OnTimeRangeChanged)
    .multi(true)
    .includeAll(true)
    .allValue(".*")
    .current({ selected: true, text: ["All"], value: ["$__all"] });
}
