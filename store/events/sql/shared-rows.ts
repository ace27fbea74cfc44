import { isDeepStrictEqual } from "node:util";
import type { Aggregate, Expression, Scan } from "../scan.ts";
import type { Relations } from "./relations.ts";
import type { Column } from "./rows.ts";
import { type CompileContext, Source } from "./source.ts";

/** More events than this are read again instead of being kept: at 20 bytes each they take 400 MB. */
const maxSharedRows = 20_000_000;

/** Rows which several passes read: read and kept once, with the columns that the passes request. */
export interface SharedRows {
  readonly name: string;
  readonly source: Source;
  readonly columns: Column[];
}

export function createSharedRows(context: CompileContext): SharedRows {
  return { name: "kept", source: new Source(context), columns: [] };
}

/**
 * Reports whether the rows that all measures of a scan read are worth keeping. Counting 10 million
 * events and their users by day takes 1.0 s of processor time with kept rows, and 1.3 s with two
 * readings. With texts of 1,000 groups it takes 8 s instead of 4.4 s, since the engine knows which
 * texts of a table are equal, but not of kept rows.
 */
export function shouldShare(scan: Scan, relations: Relations): boolean {
  return readsOneSet(scan) && canKeep(scan, relations);
}

/** Reports whether the rows of a scan are few enough to be kept. */
export function canKeep({ buckets }: Pick<Scan, "buckets">, relations: Relations): boolean {
  return relations.rowsAtMost(buckets) <= maxSharedRows;
}

/** Reports whether all measures read the same events more than once, and need only numbers of them. */
export function readsOneSet({ keys, measures }: Pick<Scan, "keys" | "measures">): boolean {
  const [first, ...others] = measures;
  const isDistinct = measures.map(({ aggregate }) => aggregate.kind === "distinct");
  return (
    first !== undefined &&
    keys.length === 0 &&
    isDistinct.includes(true) &&
    isDistinct.includes(false) &&
    measures.every(({ aggregate }) => needsNumbers(aggregate)) &&
    others.every(
      ({ events, where }) => isDeepStrictEqual(events, first.events) && isDeepStrictEqual(where, first.where),
    )
  );
}

function needsNumbers(aggregate: Aggregate): boolean {
  if (aggregate.kind === "count") return true;
  return (aggregate.kind !== "distinct" && aggregate.kind !== "values") || isNumber(aggregate.of);
}

function isNumber(of: Expression): boolean {
  if (of.kind === "builtin") return of.name === "user_id";
  return of.kind === "property" && of.property.type === "number" && of.property.group === undefined;
}
