import type { Scan } from "../../scan.ts";
import { compileKeys } from "../keys.ts";
import { groupBy, type RangeDivision, withKeys } from "../pass.ts";
import { type CompileContext, Source } from "../source.ts";
import type { Numbered } from "./aggregates.ts";
import { isOfUsers } from "./aggregates.ts";
import { type CompiledMeasures, compileGroupedAggregates } from "./grouped-aggregates.ts";
import { isListColumn, type Part } from "./layout.ts";

/** Reports whether the numbers of shards add up to that of all: no two shards have the same user. */
function isAdded({ measure: { aggregate } }: Numbered): boolean {
  if (aggregate.kind === "distinct") return isOfUsers(aggregate);
  return aggregate.kind === "count" || aggregate.kind === "values";
}

/** Divides the measures of one reading into those whose numbers each shard computes, and all others. */
export function divideAdded(
  measures: readonly Numbered[],
  { stages }: CompileContext,
): readonly [added: readonly Numbered[], others: readonly Numbered[]] {
  const hasUsers = measures.some(({ measure }) => measure.aggregate.kind === "distinct");
  if (stages === undefined || !hasUsers) return [[], measures];
  return [measures.filter(isAdded), measures.filter((one) => !isAdded(one))];
}

/** Compiles measures of which each shard computes its own numbers, so that only these are sent. */
export function compileAdded(
  context: CompileContext,
  scan: Scan,
  division: RangeDivision,
  given: { readonly measures: readonly Numbered[]; readonly name: string },
): CompiledMeasures {
  const ofShard = { ...context, stages: undefined };
  const { parts, layouts } = compileGroupedAggregates(ofShard, scan, division, given);
  return { parts: parts.map((part) => addShards(context, scan, part)), layouts };
}

/** Adds the numbers of the rows of shards with equal keys: those of lists by their places. */
function addShards(context: CompileContext, scan: Scan, { sql, columns }: Part): Part {
  const { dialect, stages } = context;
  const keys = compileKeys(scan.keys, new Source(context));
  const stage = stages!.add(`SELECT ${withKeys(keys, ...columns)} FROM ${sql} p`);
  const [places, ...lists] = columns.filter(isListColumn);
  const totals = columns.filter((name) => !isListColumn(name));
  const sums = totals.map((name) => `sum(${name}) AS ${name}`);
  const added = places === undefined ? sums : [`${dialect.addByPlace!(places, lists)} AS z`, ...sums];
  const rows = `SELECT ${withKeys(keys, ...added)} FROM ${stage} p${groupBy(keys)}`;
  const items = [places, ...lists].map((name, at) => `${dialect.tupleItem("z", at + 1)} AS ${name}`);
  const named = places === undefined ? totals : [...items, ...totals];
  return { sql: `(SELECT ${withKeys(keys, ...named)} FROM (${rows}) x)`, columns };
}
