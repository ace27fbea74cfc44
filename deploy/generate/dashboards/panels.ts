import {
  BigValueColorMode,
  BigValueGraphMode,
  GraphDrawStyle,
  LegendDisplayMode,
  LegendPlacement,
  ReduceDataOptionsBuilder,
  SortOrder,
  StackingConfigBuilder,
  StackingMode,
  TooltipDisplayMode,
  VizLegendOptionsBuilder,
  VizTooltipOptionsBuilder,
} from "@grafana/grafana-foundation-sdk/common";
import { ThresholdsConfigBuilder, ThresholdsMode } from "@grafana/grafana-foundation-sdk/dashboard";
import { DataqueryBuilder } from "@grafana/grafana-foundation-sdk/prometheus";
import { PanelBuilder as StatBuilder } from "@grafana/grafana-foundation-sdk/stat";
import { PanelBuilder as LinesBuilder } from "@grafana/grafana-foundation-sdk/timeseries";
import type { Query } from "./promql.ts";

/** A panel of a dashboard. */
export interface Panel {
  readonly title: string;
  /** What it shows, in whole sentences. */
  readonly text: string;
  /** As Grafana names units: `s`, `bytes`, `reqps`. */
  readonly unit: string;
  readonly queries: readonly Query[];
  /** lines (default): values over time. areas: these, one on top of the other. value: the last one. */
  readonly form?: "lines" | "areas" | "value";
  /** value: the least number that is shown as trouble. */
  readonly troubleFrom?: number;
  /** value: the least number that is not shown as trouble. */
  readonly troubleBelow?: number;
}

export const source = { type: "prometheus", uid: "$source" } as const;

/** Widths are in 24ths of the page. */
const widths = { value: 4, lines: 12 } as const;
const heights = { value: 4, lines: 8 } as const;

export function buildPanel(panel: Panel, id: number): LinesBuilder | StatBuilder {
  return (panel.form === "value" ? buildValue(panel) : buildLines(panel)).id(id);
}

function buildLines({ title, text, unit, queries, form }: Panel): LinesBuilder {
  const builder = new LinesBuilder()
    .title(title)
    .description(text)
    .datasource(source)
    .unit(unit)
    .min(0)
    .span(widths.lines)
    .height(heights.lines)
    .targets(queries.map(buildQuery))
    .drawStyle(GraphDrawStyle.Line)
    .lineWidth(1)
    .legend(
      new VizLegendOptionsBuilder()
        .displayMode(LegendDisplayMode.List)
        .placement(LegendPlacement.Bottom)
        .showLegend(true),
    )
    .tooltip(new VizTooltipOptionsBuilder().mode(TooltipDisplayMode.Multi).sort(SortOrder.Descending));
  if (form !== "areas") return builder;
  return builder.fillOpacity(20).stacking(new StackingConfigBuilder().mode(StackingMode.Normal));
}

function buildValue({ title, text, unit, queries, troubleFrom, troubleBelow }: Panel): StatBuilder {
  const [below, from] = troubleBelow === undefined ? ["green", "red"] : ["red", "green"];
  const bound = troubleBelow ?? troubleFrom;
  const steps = [
    { value: null, color: below! },
    ...(bound === undefined ? [] : [{ value: bound, color: from! }]),
  ];
  return new StatBuilder()
    .title(title)
    .description(text)
    .datasource(source)
    .unit(unit)
    .span(widths.value)
    .height(heights.value)
    .targets(queries.map(buildQuery))
    .colorMode(BigValueColorMode.Value)
    .graphMode(BigValueGraphMode.Area)
    .reduceOptions(new ReduceDataOptionsBuilder().calcs(["lastNotNull"]))
    .thresholds(new ThresholdsConfigBuilder().mode(ThresholdsMode.Absolute).steps(steps));
}

function buildQuery({ expression, legend }: Query, index: number): DataqueryBuilder {
  return new DataqueryBuilder()
    .datasource(source)
    .refId(String.fromCharCode("A".charCodeAt(0) + index))
    .expr(expression)
    .legendFormat(legend)
    .range();
}
