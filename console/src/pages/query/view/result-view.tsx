import { timestampMs } from "@bufbuild/protobuf/wkt";
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import type { AnswerInfo, ResolvedRange, Zone } from "../../../../../gen/engage/analysis/v1/result_pb.ts";
import { Badge } from "../../../controls/badge.tsx";
import { Tabs } from "../../../controls/tabs.tsx";
import { Time } from "../../../controls/time.tsx";
import { type ResultTable, tableOf } from "../../../results/series.ts";
import type { Point } from "../../../results/snapshot.ts";
import { formatNumber } from "../../../texts/formats.ts";
import { t } from "../../../texts/texts.ts";
import type { Run } from "../data/runner.ts";
import { Files } from "./files.tsx";
import { NumbersView } from "./numbers-view.tsx";
import { ResultGrid } from "./result-grid.tsx";
import { SeriesChart } from "./series-chart.tsx";
import { UsersCard } from "./users-card.tsx";

interface ResultViewProps {
  readonly run: Run;
  readonly view: string;
  readonly onView: (view: string) => void;
}

/** A number whose users are shown, with the result that it is of. */
interface Chosen {
  readonly run: Run;
  readonly point: Point;
  /** Counts the choices, since the same number may be chosen again. */
  readonly number: number;
}

/** A result as lines, bars, a table or numbers, with how it was computed and the users behind its numbers. */
export function ResultView({ run, view, onView }: ResultViewProps) {
  const chosen = useSignal<Chosen | undefined>(undefined);
  const table = useMemo(() => tableOf(run.result, groupNamesOf(run)), [run]);
  const choose = (point: Point): void => {
    chosen.value = { run, point, number: (chosen.peek()?.number ?? 0) + 1 };
  };
  const tab = (name: "lines" | "bars" | "table" | "numbers", content: () => ComponentChildren) => ({
    name,
    title: t(`query.view.${name}`),
    content: () => (table.rows.length === 0 ? <p class="muted">{t("query.noRows")}</p> : content()),
  });
  const tabs = [
    tab("lines", () => <Charted kind="lines" table={table} onPoint={choose} />),
    tab("bars", () => <Charted kind="bars" table={table} onPoint={choose} />),
    tab("table", () => <ResultGrid table={table} onPoint={choose} />),
    tab("numbers", () => <NumbersView table={table} onPoint={choose} />),
  ];
  return (
    <>
      <Info run={run} />
      <Tabs label={t("query.view")} tabs={tabs} open={view} onOpen={onView} />
      <Files run={run} table={table} />
      {chosen.value !== undefined && (
        <UsersCard
          key={chosen.value.number}
          query={chosen.value.run.query}
          point={chosen.value.point}
          onClose={() => {
            chosen.value = undefined;
          }}
        />
      )}
    </>
  );
}

function groupNamesOf({ query }: Run): readonly string[] {
  return (query.eventView?.groupBy ?? []).map(({ columnName, columnDesc }) => columnDesc || columnName);
}

interface ChartedProps {
  readonly kind: "lines" | "bars";
  readonly table: ResultTable;
  readonly onPoint: (point: Point) => void;
}

function Charted({ kind, table, onPoint }: ChartedProps) {
  return (
    <div class="stack">
      <SeriesChart kind={kind} table={table} onPoint={onPoint} />
      <details>
        <summary>{t("chart.table")}</summary>
        <ResultGrid table={table} onPoint={onPoint} />
      </details>
    </div>
  );
}

/** The days and the zone that the result has, and what was left out. */
function Info({ run }: { readonly run: Run }) {
  const { info, resultGenerateTime, unionGroups, unionGroupNum } = run.result;
  return (
    <div class="query-info">
      <p>
        {info?.range !== undefined && <strong>{rangeText(info.range)}</strong>}{" "}
        <span class="muted">{zoneText(info?.zone)}</span>
        {info?.comparedRange !== undefined && (
          <> · {t("query.comparedWith", { range: rangeText(info.comparedRange) })}</>
        )}
      </p>
      <p class="row">
        {resultGenerateTime !== undefined && (
          <span class="muted">
            {t("query.computed")} <Time ms={timestampMs(resultGenerateTime)} />
          </span>
        )}
        {info?.cached === true && <Badge tone="plain">{t("query.cached")}</Badge>}
        {info?.approximate === true && <Badge tone="warn">{t("query.isApproximate")}</Badge>}
        {info?.truncated === true && (
          <Badge tone="warn">
            {t("query.truncated", {
              shown: formatNumber(unionGroups.length),
              all: formatNumber(unionGroupNum),
            })}
          </Badge>
        )}
      </p>
      <Warnings info={info} />
    </div>
  );
}

function Warnings({ info }: { readonly info: AnswerInfo | undefined }) {
  if (info === undefined || info.warnings.length === 0) return null;
  return (
    <ul class="note warn" aria-label={t("query.warnings")}>
      {info.warnings.map(({ message }) => (
        <li key={message}>{message}</li>
      ))}
    </ul>
  );
}

function rangeText({ startTime, endTime }: ResolvedRange): string {
  return t("query.rangeText", { start: startTime, end: endTime });
}

function zoneText(zone: Zone | undefined): string {
  const place = zone?.zone;
  if (place?.case === "name") return place.value;
  const hours = place?.value ?? 0;
  const minutes = Math.round(Math.abs(hours) * 60);
  const clock = [Math.floor(minutes / 60), minutes % 60]
    .map((part) => String(part).padStart(2, "0"))
    .join(":");
  return `UTC${hours < 0 ? "−" : "+"}${clock}`;
}
