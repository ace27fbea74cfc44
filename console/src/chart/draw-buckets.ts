import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { colorOf, height, lineColors, watchLook } from "./look.ts";
import type { BucketSeries } from "./series.ts";

export interface Buckets {
  readonly kind: "lines" | "bars";
  /** The labels of the axis below. */
  readonly labels: readonly string[];
  /** The labels of the axis above, which compared series have; empty for none. */
  readonly comparedLabels: readonly string[];
  readonly series: readonly BucketSeries[];
  /** Writes the numbers of the axis, which all series share. */
  readonly formatAxis: (value: number) => string;
  readonly onHover: (bucket: number | undefined) => void;
  readonly onPoint: (series: number, bucket: number) => void;
}

/** Part of a bucket's width that its bars take. */
const barWidth = 0.8;
/** Steps between labels of buckets, which have no halves. */
const steps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000];
/** With more buckets points touch each other. */
const maxPoints = 100;

/** Draws series over buckets. Buckets are numbered, since they may be of different length and in two ranges. */
export function drawBuckets(
  host: HTMLElement,
  buckets: Buckets,
): { draw(buckets: Buckets): void; end(): void } {
  let present = buckets;
  let plot = createPlot(host, present);
  const again = (): void => {
    plot.destroy();
    plot = createPlot(host, present);
  };
  const stop = watchLook(host, again, (width) => plot.setSize({ width, height: heightOf(present) }));
  return {
    draw(next) {
      present = next;
      again();
    },
    end() {
      stop();
      plot.destroy();
    },
  };
}

function heightOf({ comparedLabels }: Buckets): number {
  return comparedLabels.length > 0 ? height + 100 : height + 60;
}

function countOf({ labels, comparedLabels }: Buckets): number {
  return Math.max(labels.length, comparedLabels.length);
}

function createPlot(host: HTMLElement, buckets: Buckets): uPlot {
  const { kind, series, comparedLabels } = buckets;
  const count = countOf(buckets);
  const isBars = kind === "bars";
  const options: uPlot.Options = {
    width: host.clientWidth,
    height: heightOf(buckets),
    legend: { show: false },
    padding: [8, 40, 0, 0],
    cursor: { drag: { setScale: false }, points: { show: !isBars } },
    scales: {
      x: { time: false, range: isBars || count === 1 ? [-0.5, count - 0.5] : [0, count - 1] },
      y: { range: (_plot, low, high) => rangeOf(low, high) },
    },
    axes: [
      bucketAxis(host, buckets.labels, 2),
      { ...axisOf(host), values: (_plot, values) => values.map(buckets.formatAxis), size: widthOf },
      ...(comparedLabels.length > 0 ? [bucketAxis(host, comparedLabels, 0)] : []),
    ],
    series: [{}, ...series.map((one, i) => seriesOf(host, one, i, buckets))],
    hooks: { setCursor: [({ cursor }) => buckets.onHover(cursor.idx ?? undefined)] },
  };
  const data: uPlot.AlignedData = [
    Array.from({ length: count }, (_, i) => i),
    ...series.map(({ values }) => Array.from({ length: count }, (_, i) => values[i] ?? null)),
  ];
  const plot = new uPlot(options, data, host);
  plot.over.addEventListener("click", (event) => choose(plot, buckets, event));
  plot.over.addEventListener("mouseleave", () => buckets.onHover(undefined));
  return plot;
}

function rangeOf(low: number | null, high: number | null): [number, number] {
  const [least, most] = [Math.min(0, low ?? 0), Math.max(0, high ?? 0)];
  return least === most ? [0, 1] : [least * 1.1, most * 1.1];
}

function axisOf(host: HTMLElement): uPlot.Axis {
  return {
    stroke: colorOf(host, "--muted"),
    font: `12px ${getComputedStyle(host).fontFamily}`,
    grid: { stroke: colorOf(host, "--line"), width: 1 },
    ticks: { show: false },
  };
}

/** Large numbers need more space. */
function widthOf(_plot: uPlot, values: readonly (string | null)[] | null): number {
  return Math.max(48, ...(values ?? []).map((value) => (value?.length ?? 0) * 7 + 20));
}

function bucketAxis(host: HTMLElement, labels: readonly string[], side: 0 | 2): uPlot.Axis {
  const longest = labels.reduce((most, label) => Math.max(most, label.length), 0);
  return {
    ...axisOf(host),
    scale: "x",
    side,
    grid: { show: side === 2, stroke: colorOf(host, "--line"), width: 1 },
    incrs: steps,
    space: longest * 7 + 24,
    size: 32,
    values: (_plot, numbers) => numbers.map((number) => labels[number] ?? ""),
  };
}

function seriesOf(host: HTMLElement, one: BucketSeries, index: number, buckets: Buckets): uPlot.Series {
  const color = colorOf(host, lineColors[one.color % lineColors.length]!);
  const shared = { label: one.label, stroke: color };
  if (buckets.kind === "bars") {
    const fill = one.isCompared ? "transparent" : color;
    return {
      ...shared,
      width: 1,
      fill,
      points: { show: false },
      paths: barsOf(index, buckets.series.length),
    };
  }
  const points = { show: countOf(buckets) <= maxPoints, size: 6, fill: color };
  return { ...shared, width: 2, points, ...(one.isCompared && { dash: [6, 4] }) };
}

/** Bars of several series stand beside each other. */
function barsOf(index: number, count: number): uPlot.Series.PathBuilder {
  const width = barWidth / count;
  return (plot, seriesIndex, first, last) => {
    const path = new Path2D();
    const values = plot.data[seriesIndex]!;
    const zero = plot.valToPos(0, "y", true);
    for (let at = first; at <= last; at++) {
      const value = values[at];
      if (value === null || value === undefined) continue;
      const left = plot.valToPos(at - barWidth / 2 + width * index, "x", true);
      const right = plot.valToPos(at - barWidth / 2 + width * (index + 1), "x", true);
      const top = plot.valToPos(value, "y", true);
      path.rect(left, Math.min(top, zero), Math.max(1, right - left - 1), Math.abs(zero - top));
    }
    return { stroke: path, fill: path, flags: 1 };
  };
}

/** Finds the point that was clicked: the nearest line, or the bar below the pointer. */
function choose(plot: uPlot, buckets: Buckets, { offsetX, offsetY }: MouseEvent): void {
  const x = plot.posToVal(offsetX, "x");
  const bucket = Math.min(countOf(buckets) - 1, Math.max(0, Math.round(x)));
  const places = buckets.series.map(({ values }, index) => ({ index, value: values[bucket] }));
  if (buckets.kind === "bars") {
    const index = Math.floor(((x - bucket + barWidth / 2) / barWidth) * buckets.series.length);
    if (places[index]?.value !== undefined) buckets.onPoint(index, bucket);
    return;
  }
  const distances = places
    .filter(({ value }) => value !== undefined)
    .map(({ index, value }) => ({ index, distance: Math.abs(plot.valToPos(value!, "y") - offsetY) }))
    .sort((one, other) => one.distance - other.distance);
  if (distances[0] !== undefined) buckets.onPoint(distances[0].index, bucket);
}
