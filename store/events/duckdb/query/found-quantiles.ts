import { createYield, type YieldToEventLoop } from "../../../../base/async/yield.ts";
import { selectNth } from "../../../../base/collections/select-nth.ts";
import type { KeyValue, Scan, ScanResult } from "../../scan.ts";
import { divideBuckets } from "../../sql/buckets.ts";
import { type Cell, type CellValues, join, type MiddleValues, type QuantileScan } from "./middle-values.ts";

/** The cells of one group. */
export interface Group {
  readonly keys: readonly KeyValue[];
  readonly cells: readonly Cell[];
}

/** Returns the groups of cells; undefined when they have more than a number of cells together. */
export async function divideGroups(
  { count, cells }: MiddleValues,
  { buckets }: Scan,
  maxCells: number,
  signal: AbortSignal,
): Promise<readonly Group[] | undefined> {
  if (count > maxCells) return undefined;
  const yieldToEventLoop = createYield({ signal });
  const groups = new Map<string, { keys: readonly KeyValue[]; cells: Cell[] }>();
  for await (const cell of cells()) {
    const id = idOf(cell.keys);
    const group = groups.get(id) ?? { keys: cell.keys, cells: [] };
    group.cells.push(cell);
    groups.set(id, group);
    await yieldToEventLoop();
  }
  return groups.size * divideBuckets(buckets).count > maxCells ? undefined : [...groups.values()];
}

/** Returns a text which is equal for equal keys of one scan. JSON has no text for some numbers. */
const idOf = (keys: readonly KeyValue[]): string =>
  JSON.stringify(keys.map((key) => (typeof key === "number" ? String(key) : key)));

/** Finds the quantiles of groups and their cells. */
export async function findQuantiles(
  groups: readonly Group[],
  { measures, totals, buckets }: QuantileScan,
  signal: AbortSignal,
): Promise<FoundQuantiles> {
  const found = new FoundQuantiles(
    groups.map(({ keys }) => keys),
    measures.length,
    divideBuckets(buckets).count,
  );
  const yieldToEventLoop = createYield({ signal });
  for (const [group, { cells }] of groups.entries()) {
    for (const [place, { aggregate }] of measures.entries()) {
      const of = (some: readonly Cell[]) =>
        quantileIn(
          some.map(({ quantiles }) => quantiles[place]!),
          aggregate.fraction,
          yieldToEventLoop,
        );
      for (const cell of cells) found.setCell(place, group, cell.bucket, await of([cell]));
      if (totals) found.setTotal(place, group, await of(cells));
    }
  }
  return found;
}

/** Returns the quantile of the values of some cells: NaN without values; undefined when it is not in the ranges. */
async function quantileIn(
  cells: readonly CellValues[],
  fraction: number,
  yieldToEventLoop: YieldToEventLoop,
): Promise<number | undefined> {
  await yieldToEventLoop();
  const [count, below] = [sumOf(cells, "count"), sumOf(cells, "below")];
  if (count === 0) return Number.NaN;
  const rank = fraction * (count - 1);
  const [low, high] = [Math.floor(rank) - below, Math.ceil(rank) - below];
  const values = join(cells);
  if (low < 0 || high >= values.length) return undefined;
  const share = rank - Math.floor(rank);
  const nearest = await selectNth(values, low, yieldToEventLoop);
  if (high === low) return nearest;
  // Interpolates as the engine does.
  return nearest * (1 - share) + (await selectNth(values, high, yieldToEventLoop)) * share;
}

const sumOf = (cells: readonly CellValues[], what: "count" | "below"): number =>
  cells.reduce((sum, cell) => sum + cell[what], 0);

/** The quantiles of groups and their cells; NaN without values. */
export class FoundQuantiles {
  readonly keys: readonly (readonly KeyValue[])[];
  readonly #buckets: number;
  readonly #totals: readonly Float64Array[];
  readonly #cells: readonly Float64Array[];
  readonly #missing = new Set<number>();

  constructor(keys: readonly (readonly KeyValue[])[], quantiles: number, buckets: number) {
    this.keys = keys;
    this.#buckets = buckets;
    const fill = (length: number) =>
      Array.from({ length: quantiles }, () => new Float64Array(length).fill(Number.NaN));
    this.#totals = fill(keys.length);
    this.#cells = fill(keys.length * buckets);
  }

  /** The groups of which some quantile is not found. */
  get missing(): readonly number[] {
    return [...this.#missing];
  }

  setTotal(place: number, group: number, value: number | undefined): void {
    if (value === undefined) this.#missing.add(group);
    else this.#totals[place]![group] = value;
  }

  setCell(place: number, group: number, bucket: number, value: number | undefined): void {
    if (value === undefined) this.#missing.add(group);
    else this.#cells[place]![group * this.#buckets + bucket] = value;
  }

  /** Takes the quantiles of all groups of a scan of the same quantiles. */
  async take(whole: ScanResult, signal: AbortSignal): Promise<void> {
    const [{ values }, rows] = [await whole.cells(), await this.#rowsOf(whole.groups.keys, signal)];
    const width = this.#buckets;
    for (const [row, found] of rows.entries()) {
      const group = found!;
      for (const [place, total] of whole.groups.totals.entries()) this.#totals[place]![group] = total[row]!;
      for (const [place, cells] of values.entries())
        this.#cells[place]!.set(cells.subarray(row * width, (row + 1) * width), group * width);
    }
  }

  /**
   * Returns the result of a scan with these quantiles.
   * @param others the result of its other measures, with all groups
   */
  async result({ measures, totals }: Scan, others?: ScanResult, signal?: AbortSignal): Promise<ScanResult> {
    const keys = others?.groups.keys ?? this.keys;
    const rows = others === undefined ? [...this.keys.keys()] : await this.#rowsOf(keys, signal);
    const pick = (numbers: Float64Array, width: number, groups: readonly number[] = [...keys.keys()]) => {
      const picked = new Float64Array(groups.length * width).fill(Number.NaN);
      for (const [at, group] of groups.entries()) {
        const row = rows[group];
        if (row !== undefined) picked.set(numbers.subarray(row * width, (row + 1) * width), at * width);
      }
      return picked;
    };
    const merge = (quantiles: readonly Float64Array[], rest: readonly Float64Array[] = []) => {
      let [quantile, other] = [0, 0];
      return measures.map(({ aggregate }) =>
        aggregate.kind === "quantile" ? quantiles[quantile++]! : rest[other++]!,
      );
    };
    const all = this.#totals.map((total) => pick(total, 1));
    return {
      groups: { keys, totals: totals ? merge(all, others?.groups.totals) : [] },
      cells: async (groups) => {
        const rest = await others?.cells(groups);
        return {
          values: merge(
            this.#cells.map((cells) => pick(cells, this.#buckets, groups)),
            rest?.values,
          ),
        };
      },
      [Symbol.asyncDispose]: async () => await others?.[Symbol.asyncDispose](),
    };
  }

  /** Returns the place here of each of some groups; undefined of others. */
  async #rowsOf(
    groups: readonly (readonly KeyValue[])[],
    signal?: AbortSignal,
  ): Promise<readonly (number | undefined)[]> {
    const yieldToEventLoop = createYield(signal && { signal });
    const places = new Map<string, number>();
    for (const [place, keys] of this.keys.entries()) {
      places.set(idOf(keys), place);
      await yieldToEventLoop();
    }
    const found: (number | undefined)[] = [];
    for (const keys of groups) {
      found.push(places.get(idOf(keys)));
      await yieldToEventLoop();
    }
    return found;
  }
}
