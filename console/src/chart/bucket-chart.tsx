import { useSignal } from "@preact/signals";
import { useEffect, useId, useRef } from "preact/hooks";
import { theme } from "../app/preferences.ts";
import { t } from "../texts/texts.ts";
import { Sentence, swatchOf } from "./chart.tsx";
import type { Buckets } from "./draw-buckets.ts";

export interface BucketChartProps extends Omit<Buckets, "onHover"> {
  /** The name of the chart. */
  readonly label: string;
}

/**
 * Lines or bars over buckets. A click chooses a point; by keyboard points are chosen in the table that stands beside
 * the chart, as a canvas has none.
 */
export function BucketChart({ label, ...buckets }: BucketChartProps) {
  const id = useId();
  const hovered = useSignal<number | undefined>(undefined);
  const onHover = (bucket: number | undefined): void => {
    hovered.value = bucket;
  };
  return (
    <figure class="chart" aria-labelledby={id}>
      <Canvas {...buckets} onHover={onHover} />
      <Readout buckets={buckets} bucket={hovered.value} />
      <figcaption id={id}>
        <span class="hidden-text">{label}. </span>
        {buckets.series.map((one) => (
          <Sentence
            key={`${one.label} ${one.isCompared}`}
            series={one}
            color={one.color}
            isDashed={one.isCompared}
            formatValue={one.formatValue}
          />
        ))}
      </figcaption>
    </figure>
  );
}

interface ReadoutProps {
  readonly buckets: Omit<Buckets, "onHover">;
  readonly bucket: number | undefined;
}

/** The values below the pointer; the table has them for others. */
function Readout({ buckets, bucket }: ReadoutProps) {
  const { labels, comparedLabels, series } = buckets;
  if (bucket === undefined) {
    return (
      <p class="chart-readout muted" aria-hidden="true">
        {t("chart.point")}
      </p>
    );
  }
  return (
    <p class="chart-readout" aria-hidden="true">
      {series.map((one) => {
        const value = one.values[bucket];
        const label = (one.isCompared ? comparedLabels : labels)[bucket];
        return (
          label !== undefined && (
            <span key={`${one.label} ${one.isCompared}`} class="chart-line">
              <span class={swatchOf(one.color, one.isCompared)} />
              {label} <strong>{value === undefined ? "–" : one.formatValue(value)}</strong>
            </span>
          )
        );
      })}
    </p>
  );
}

function Canvas(props: Buckets) {
  const host = useRef<HTMLDivElement>(null);
  const drawn = useRef<{ draw(props: Buckets): void } | undefined>(undefined);
  const latest = useRef(props);
  latest.current = props;
  const chosen = theme.value;
  // Another theme draws again.
  useEffect(() => {
    const end = new AbortController();
    void (async () => {
      const { drawBuckets } = await import("./draw-buckets.ts");
      if (host.current === null || end.signal.aborted) return;
      const drawing = drawBuckets(host.current, latest.current);
      drawn.current = drawing;
      end.signal.addEventListener("abort", () => drawing.end());
    })();
    return () => {
      drawn.current = undefined;
      end.abort();
    };
  }, [chosen]);
  // Hovering renders the chart too, which changes nothing of what is drawn.
  useEffect(() => drawn.current?.draw(latest.current), [props.series, props.kind, props.labels]);
  return <div class="chart-canvas" ref={host} aria-hidden="true" />;
}
