import { useEffect, useId, useRef } from "preact/hooks";
import { theme } from "../app/preferences.ts";
import { Table } from "../controls/table.tsx";
import { formatClock, formatNumber } from "../texts/formats.ts";
import { t } from "../texts/texts.ts";
import { lineColors } from "./look.ts";
import { rangeOf, type Series } from "./series.ts";

export interface ChartProps {
  /** The name of the chart. */
  readonly label: string;
  /** Milliseconds since 1970, one for each value of the series. */
  readonly timesMs: readonly number[];
  readonly series: readonly Series[];
  readonly formatValue?: (value: number) => string;
  readonly formatTime?: (ms: number) => string;
}

/** One decimal, since rates and averages have no more that matters. */
const oneDecimal = (value: number): string => formatNumber(value, { maximumFractionDigits: 1 });

/**
 * Lines over time. A canvas says nothing to those who do not see it, so that each chart has a sentence for each line
 * and a table with all values.
 */
export function Chart({
  label,
  timesMs,
  series,
  formatValue = oneDecimal,
  formatTime = formatClock,
}: ChartProps) {
  const id = useId();
  if (timesMs.length < 2) return <p class="muted">{t("chart.empty")}</p>;
  return (
    <figure class="chart" aria-labelledby={id}>
      <Canvas timesMs={timesMs} series={series} formatValue={formatValue} formatTime={formatTime} />
      <figcaption id={id}>
        <span class="hidden-text">{label}. </span>
        {series.map((one, i) => (
          <Sentence key={one.label} series={one} color={i} formatValue={formatValue} />
        ))}
      </figcaption>
      <details>
        <summary>{t("chart.table")}</summary>
        <Table
          caption={label}
          columns={[
            {
              name: "time",
              title: t("chart.time"),
              cell: (at: number) => formatTime(timesMs[at]!),
              isHeading: true,
            },
            ...series.map((one) => ({
              name: one.label,
              title: one.label,
              isNumber: true,
              cell: (at: number) => textOf(one.values[at], formatValue),
            })),
          ]}
          rows={timesMs.map((_ms, at) => timesMs.length - 1 - at)}
          keyOf={String}
        />
      </details>
    </figure>
  );
}

function textOf(value: number | undefined, formatValue: (value: number) => string): string {
  return value === undefined ? "–" : formatValue(value);
}

interface SentenceProps {
  readonly series: Series;
  readonly color: number;
  /** Whether its line is dashed. */
  readonly isDashed?: boolean;
  readonly formatValue: (value: number) => string;
}

/** Returns the classes of a piece of a line, which stands beside its name. */
export function swatchOf(color: number, isDashed: boolean): string {
  return `swatch line-${color % lineColors.length}${isDashed ? " dashed" : ""}`;
}

const maxLabelLength = 100;

/** Cuts the name of a line beside a chart; the table of the chart has all of it. */
export function shortLabel(label: string): string {
  return label.length > maxLabelLength ? `${label.slice(0, maxLabelLength)}…` : label;
}

/** What a line shows, in words. */
export function Sentence({ series, color, isDashed = false, formatValue }: SentenceProps) {
  const range = rangeOf(series);
  if (range === undefined) return null;
  const { last, low, high } = range;
  const values = { last: formatValue(last), low: formatValue(low), high: formatValue(high) };
  return (
    <span class="chart-line">
      <span class={swatchOf(color, isDashed)} aria-hidden="true" />
      {t("chart.sentence", { label: shortLabel(series.label), ...values })}
    </span>
  );
}

type CanvasProps = Required<Omit<ChartProps, "label">>;

function Canvas(props: CanvasProps) {
  const host = useRef<HTMLDivElement>(null);
  const drawn = useRef<{ draw(props: CanvasProps): void } | undefined>(undefined);
  const latest = useRef(props);
  latest.current = props;
  const { length } = props.series;
  const chosen = theme.value;
  // Another number of lines or another theme draws anew.
  useEffect(() => {
    const end = new AbortController();
    void (async () => {
      const { drawLines } = await import("./draw-lines.ts");
      if (host.current === null || end.signal.aborted) return;
      const drawing = drawLines(host.current, latest.current);
      drawn.current = drawing;
      end.signal.addEventListener("abort", () => drawing.end());
    })();
    return () => {
      drawn.current = undefined;
      end.abort();
    };
  }, [length, chosen]);
  useEffect(() => drawn.current?.draw(props));
  return <div class="chart-canvas" ref={host} aria-hidden="true" />;
}
