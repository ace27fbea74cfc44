import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { colorOf, height, lineColors, watchLook } from "./look.ts";
import type { Series } from "./series.ts";

interface Lines {
  readonly timesMs: readonly number[];
  readonly series: readonly Series[];
  readonly formatValue: (value: number) => string;
  readonly formatTime: (ms: number) => string;
}

/** Draws lines into an element and follows its width and the colours of the system. */
export function drawLines(host: HTMLElement, lines: Lines): { draw(lines: Lines): void; end(): void } {
  let present = lines;
  let plot = createPlot(host, present);
  const again = () => {
    plot.destroy();
    plot = createPlot(host, present);
  };
  const stop = watchLook(host, again, (width) => plot.setSize({ width, height }));
  return {
    draw(next) {
      present = next;
      plot.setData(dataOf(next));
    },
    end() {
      stop();
      plot.destroy();
    },
  };
}

function dataOf({ timesMs, series }: Lines): uPlot.AlignedData {
  const times = timesMs.map((ms) => ms / 1_000);
  return [times, ...series.map(({ values }) => values.map((value) => value ?? null))];
}

function createPlot(host: HTMLElement, lines: Lines): uPlot {
  const styles = getComputedStyle(host);
  const grid = { stroke: colorOf(host, "--line"), width: 1 };
  const axis = {
    stroke: colorOf(host, "--muted"),
    font: `12px ${styles.fontFamily}`,
    grid,
    ticks: { show: false },
  };
  const options: uPlot.Options = {
    width: host.clientWidth,
    height,
    legend: { show: false },
    padding: [8, 8, 0, 0],
    cursor: { drag: { setScale: false } },
    scales: { y: { range: (_plot, _low, high) => [0, Math.max(1, high * 1.1)] } },
    axes: [
      {
        ...axis,
        values: (_plot, seconds) => seconds.map((second) => lines.formatTime(second * 1_000)),
        space: 90,
        size: 32,
      },
      { ...axis, values: (_plot, values) => values.map(lines.formatValue), size: 56 },
    ],
    series: [
      {},
      ...lines.series.map(({ label }, i) => ({
        label,
        stroke: colorOf(host, lineColors[i % lineColors.length]!),
        width: 2,
        points: { show: false },
      })),
    ],
  };
  return new uPlot(options, dataOf(lines), host);
}
