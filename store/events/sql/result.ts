import { createYield } from "../../../base/async/yield.ts";
import type { KeyValue, Scan, ScanCells, ScanGroups, ScanResult } from "../scan.ts";
import type { ProjectSchema } from "../schema.ts";
import type { CompiledKey } from "./keys.ts";
import { cellWriters, orEmpty, type RowReader } from "./measure/cells.ts";
import type { CompiledScan } from "./measure/layout.ts";

/** The rows of a scan, which are read one at a time in any order. */
export interface StoredRows extends RowReader {
  readonly rowCount: number;
  moveTo(row: number): void;
  value(column: number): unknown;
}

/** The rows of a compiled scan. */
export interface FoundRows {
  readonly rows: StoredRows;
  readonly compiled: CompiledScan;
  readonly schema: ProjectSchema;
}

/** Reads the groups of a scan. */
export async function readResult(found: FoundRows, scan: Scan, signal: AbortSignal): Promise<ScanResult> {
  return new StoredResult(found, await readGroups(found, scan, signal));
}

/** The rows keep the cells until those of some groups are requested. */
class StoredResult implements ScanResult {
  readonly groups: ScanGroups;
  readonly #compiled: CompiledScan;
  #rows: StoredRows | undefined;

  constructor({ rows, compiled }: FoundRows, groups: ScanGroups) {
    this.#rows = rows;
    this.#compiled = compiled;
    this.groups = groups;
  }

  async cells(groups?: readonly number[]): Promise<ScanCells> {
    const rows = this.#rows;
    if (rows === undefined) throw new Error("the result has been disposed of");
    const { bucketCount, measures } = this.#compiled;
    const count = groups?.length ?? rows.rowCount;
    const values = measures.map(({ empty }) => new Float64Array(count * bucketCount).fill(empty));
    const writers = cellWriters(this.#compiled);
    const yieldToEventLoop = createYield();
    const order = groups && ascendingPlaces(groups);
    for (let nth = 0; nth < count; nth++) {
      const place = order?.[nth] ?? nth;
      rows.moveTo(groups?.[place] ?? place);
      for (const [measure, write] of writers.entries()) write(rows, values[measure]!, place * bucketCount);
      await yieldToEventLoop();
    }
    return { values };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#rows = undefined;
  }
}

/** Returns the places of groups in ascending order, in which chunks are read once; undefined if it is their order. */
function ascendingPlaces(groups: readonly number[]): readonly number[] | undefined {
  if (groups.every((group, place) => place === 0 || groups[place - 1]! <= group)) return undefined;
  return groups.map((_, place) => place).sort((a, b) => groups[a]! - groups[b]!);
}

async function readGroups(
  { rows, compiled, schema }: FoundRows,
  { totals: wantsTotals }: Scan,
  signal: AbortSignal,
): Promise<ScanGroups> {
  const decode = keyDecoders(compiled.keys, schema);
  const totals = wantsTotals ? compiled.measures.map(() => new Float64Array(rows.rowCount)) : [];
  const places = compiled.measures.map(({ total }) => compiled.columns.indexOf(total ?? ""));
  const keys: KeyValue[][] = [];
  const yieldToEventLoop = createYield();
  for (let row = 0; row < rows.rowCount; row++) {
    rows.moveTo(row);
    keys.push(decode.map((one, column) => one(rows.value(column))));
    for (const [measure, total] of totals.entries()) {
      total[row] = orEmpty(rows.number(places[measure]!), compiled.measures[measure]!.empty);
    }
    if (row % 64 !== 63) continue;
    signal.throwIfAborted();
    await yieldToEventLoop();
  }
  return { keys, totals };
}

function keyDecoders(
  keys: readonly CompiledKey[],
  schema: ProjectSchema,
): readonly ((value: unknown) => KeyValue)[] {
  const names = new Map([...schema.events.values()].map(({ number, name }) => [number, name]));
  return keys.map(({ of }) => {
    // Conditions are numbers in some engines.
    if (of === "boolean") return (value) => (value === null ? null : Boolean(value));
    if (of === "event") return (value) => names.get(value as number) ?? null;
    return of === "text" && keys.length > 1 ? createInterner() : (value) => value as KeyValue;
  });
}

/** The number of texts of a key which are kept once: with many keys, copies are most of the memory of groups. */
const maxRepeated = 10_000;

function createInterner(): (value: unknown) => KeyValue {
  const known = new Map<unknown, KeyValue>();
  return (value) => {
    const found = known.get(value);
    if (found !== undefined) return found;
    if (known.size < maxRepeated) known.set(value, value as KeyValue);
    return value as KeyValue;
  };
}

export function emptyResult({ measures, totals }: Scan): ScanResult {
  const none = measures.map(() => new Float64Array());
  return {
    groups: { keys: [], totals: totals ? none : [] },
    cells: async () => ({ values: none }),
    [Symbol.asyncDispose]: async () => undefined,
  };
}
