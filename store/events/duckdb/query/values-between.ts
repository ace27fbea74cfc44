import type { KeyValue, Predicate, Scan } from "../../scan.ts";
import { scalar } from "../../sql/dialect.ts";
import { valueTexts } from "../../sql/measure/aggregates.ts";
import type { CompiledScan } from "../../sql/measure/layout.ts";
import { Parameters } from "../../sql/parameters.ts";
import { compilePass, divideRange, groupBy, withKeys } from "../../sql/pass.ts";
import type { Relations } from "../../sql/relations.ts";
import { readResult } from "../../sql/result.ts";
import { bindStatement, duckdbDialect } from "./dialect.ts";
import type { Query } from "./query.ts";
import { ResultRows } from "./rows.ts";

/** The values of one group in a range. */
export interface ValuesBetween {
  readonly keys: readonly KeyValue[];
  /** The number of values on the other side of the range that is read. */
  readonly outside: number;
  /** The number of values in the range; 0 when there are too many. */
  readonly length: number;
  /** Returns a value of the range by its place in ascending order; valid until the next group. */
  at(place: number): number;
}

interface Wanted {
  /** A scan with one measure, a quantile. */
  readonly scan: Scan;
  readonly relations: Relations;
  readonly range: readonly [low: number, high: number];
  /** Which side of the range is read and counted; values on the other are only compared. */
  readonly side: "below" | "above";
  /** A longer list of values of one group is not read. */
  readonly maxLength: number;
}

/** Counts the values on one side of a range, and collects those in it, by group. */
export async function* valuesBetween(
  query: Query,
  wanted: Wanted,
  signal: AbortSignal,
): AsyncGenerator<ValuesBetween> {
  const compiled = compileBetween(wanted);
  const rows = new ResultRows(await query.run(...bindStatement(compiled)));
  const { scan, relations } = wanted;
  const found = { rows, compiled, schema: relations.schema };
  const { groups } = await readResult(found, { ...scan, totals: false }, signal);
  const [outside, values] = [compiled.columns.indexOf("outside"), compiled.columns.indexOf("found")];
  for (const [row, keys] of groups.keys.entries()) {
    rows.moveTo(row);
    const at = (place: number) => rows.element(values, place);
    yield { keys, outside: rows.number(outside), length: rows.length(values), at };
  }
}

function compileBetween({ scan, relations, range: [low, high], side, maxLength }: Wanted): CompiledScan {
  const [{ events, where, aggregate }] = scan.measures as [Scan["measures"][number]];
  if (aggregate.kind !== "quantile") throw new Error("the measure is not a quantile");
  const dialect = duckdbDialect;
  const parameters = new Parameters(dialect);
  const [least, most] = [
    { operator: ">=", value: low },
    { operator: "<=", value: high },
  ] as const;
  const [read, listed] = side === "below" ? [most, least] : [least, most];
  const isRead: Predicate = {
    kind: "compare",
    operator: read.operator,
    left: aggregate.of,
    right: { kind: "number", value: read.value },
  };
  const { keys, rows, values } = compilePass(
    { dialect, relations, parameters, zone: scan.zone },
    {
      scan,
      division: divideRange(scan),
      measures: [{ events, where: { kind: "and", of: [where, isRead] } }],
      values: (source) => valueTexts(aggregate, source),
      needsBucket: false,
    },
  );
  const inRange = `list(${values[0]}) FILTER (WHERE ${values[0]} ${listed.operator} ${parameters.bind("number", listed.value)})`;
  const grouped = `SELECT ${withKeys(keys, "count(*) AS n", `${inRange} AS v`)} FROM ${rows} r${groupBy(keys)}`;
  const number = (text: string) => dialect.cast(text, scalar("number"));
  const columns = [
    ...keys.map(({ name, of }) => `${of === "integer" ? number(name) : name} AS ${name}`),
    `${number("n - coalesce(len(v), 0)")} AS outside`,
    `CASE WHEN len(v) <= ${maxLength} THEN list_sort(v) END AS found`,
  ];
  return {
    ...parameters.finish(`SELECT ${columns.join(", ")} FROM (${grouped}) x`),
    keys,
    columns: [...keys.map(({ name }) => name), "outside", "found"],
    measures: [],
    bucketCount: 0,
    stages: [],
    windows: undefined,
  };
}
