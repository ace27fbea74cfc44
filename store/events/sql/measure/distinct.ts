import { isDeepStrictEqual } from "node:util";
import type { Aggregate, Scan } from "../../scan.ts";
import { compileExpression } from "../expression/expression.ts";
import { compilePass, filterText, groupBy, type Pass, type RangeDivision, withKeys } from "../pass.ts";
import type { ListColumn } from "../rows.ts";
import type { CompileContext, Source } from "../source.ts";
import { distinctText, isElements, isOfUsers, type Numbered } from "./aggregates.ts";
import type { CompiledMeasures } from "./grouped-aggregates.ts";
import { type CellLayout, type Part, wordBits } from "./layout.ts";
import { mergeShards } from "./merge.ts";

type Distinct = Extract<Aggregate, { kind: "distinct" }>;

/** Groups measures which count the same values, since these share a pass. */
export function groupDistinct(measures: readonly Numbered[]): readonly (readonly Numbered[])[] {
  const groups: Numbered[][] = [];
  for (const one of measures) {
    const group = groups.find(([first]) =>
      isDeepStrictEqual(first?.measure.aggregate, one.measure.aggregate),
    );
    if (group === undefined) groups.push([one]);
    else group.push(one);
  }
  return groups;
}

/** Above this number of buckets, the number of the word is part of the grouping. */
const isWide = ({ stretches }: RangeDivision): boolean =>
  stretches.windows === undefined && stretches.count > wordBits;

/**
 * Compiles exact numbers of distinct values. Rows are grouped by key and value, with a bit for each
 * bucket in which the value occurs: over 10 million events of a month that takes half the time of
 * count(DISTINCT …) by key and day, and it also yields the number for the whole range.
 */
export function compileDistinct(
  context: CompileContext,
  scan: Scan,
  division: RangeDivision,
  { measures, name }: { readonly measures: readonly Numbered[]; readonly name: string },
): CompiledMeasures {
  const aggregate = measures[0]!.measure.aggregate as Distinct;
  const pass = compilePass(context, {
    scan,
    division,
    measures: measures.map(({ measure }) => measure),
    values: (source) => (isElements(aggregate, source) ? [] : [distinctText(aggregate, source)]),
    lists: (source) => (isElements(aggregate, source) ? [elementsOf(aggregate, source)] : []),
    needsBucket: division.stretches.count > 1,
  });
  const value = pass.values[0] ?? "elements";
  const isNeverNull = isOfUsers(aggregate);
  const filter = isNeverNull ? undefined : `${value} IS NOT NULL`;
  const masked = { pass, value, filter, measures, isOfShard: isNeverNull };
  const cells = (index: number): CellLayout => {
    if (isWide(division)) return { kind: "words", words: `words_${name}`, values: `c${index}` };
    const isSingle = division.stretches.count <= 1 && division.stretches.windows === undefined;
    return isSingle ? { kind: "single", value: `t${index}` } : { kind: "dense", values: `c${index}` };
  };
  const total = (index: number) => (scan.totals ? `t${index}` : undefined);
  return {
    ...(isWide(division)
      ? compileWide(context, scan, name, masked)
      : { ...compileNarrow(context, division, masked), shared: undefined }),
    layouts: new Map(
      measures.map(({ index }) => [
        index,
        { total: total(index), cells: cells(index), combine: undefined, empty: 0 },
      ]),
    ),
  };
}

interface Masked {
  readonly pass: Pass;
  readonly value: string;
  /** Leaves out rows without a value, which still make their group known. */
  readonly filter: string | undefined;
  readonly measures: readonly Numbered[];
  /** Whether no two shards have the same value, so that their numbers add up. */
  readonly isOfShard: boolean;
}

/** Returns rows by value, of all shards where several may have the same value. */
function mergeMasks(context: CompileContext, { pass, value, isOfShard }: Masked, masks: Masks): string {
  const { sql, by, names } = masks;
  if (isOfShard) return sql;
  const columns = names.map((name) => ({ name, merge: "bits" as const }));
  return mergeShards(context, { sql, keys: pass.keys, by: [value, ...by], columns });
}

interface Masks {
  readonly sql: string;
  /** What rows are grouped by, besides keys and value. */
  readonly by: readonly string[];
  readonly names: readonly string[];
}

/** Returns numbers of values, of all shards where these add up. */
function mergeCounts(
  context: CompileContext,
  { pass, isOfShard }: Masked,
  { sql, by, names }: Masks,
): string {
  if (!isOfShard) return sql;
  const columns = names.map((name) => ({
    name,
    merge: name.startsWith("t") ? ("sum" as const) : ("addLists" as const),
  }));
  return mergeShards(context, { sql, keys: pass.keys, by, columns });
}

function compileNarrow(
  context: CompileContext,
  { stretches }: RangeDivision,
  masked: Masked,
): { readonly parts: readonly Part[] } {
  const { dialect } = context;
  const { pass, value, filter, measures } = masked;
  const words = Array.from({ length: Math.ceil(stretches.count / wordBits) }, (_, word) => word);
  const inWord = (word: number) =>
    words.length === 1 ? undefined : `b >= ${word * wordBits} AND b < ${(word + 1) * wordBits}`;
  const place = words.length > 1 ? `(b % ${wordBits})` : "b";
  const bit = dialect.bit(stretches.count <= 1 ? "0" : place);
  const masks = measures.flatMap(({ index }, place) =>
    words.map((word) => {
      const text = dialect.bitOr(bit, filterText(filter, inWord(word), pass.filters[place]));
      return `${text} AS m${index}_${word}`;
    }),
  );
  const buckets =
    stretches.windows ?? Array.from({ length: stretches.count }, (_, at) => [at, at + 1] as const);
  const isSingle = stretches.windows === undefined && stretches.count <= 1;
  const columns = measures.flatMap(({ index }) => {
    const any = words.map((word) => `m${index}_${word}`);
    const counts = buckets.map(([from, to]) => {
      const tests = any.flatMap((mask, word) => anyOfWord(mask, bitsOf(from, to, word), dialect.anyBit));
      return dialect.cast(dialect.countWhere(tests.join(" OR ") || "false"), "count");
    });
    const met = any.length === 1 ? any[0]! : `coalesce(${any.join(", ")})`;
    const total = `${dialect.cast(`count(${met})`, { of: "number", isList: false })} AS t${index}`;
    return isSingle ? [total] : [total, `${dialect.list(counts)} AS c${index}`];
  });
  const byValue = `SELECT ${withKeys(pass.keys, value, ...masks)} FROM ${pass.rows} r${groupBy(pass.keys, value)}`;
  const names = measures.flatMap(({ index }) => words.map((word) => `m${index}_${word}`));
  const rows = mergeMasks(context, masked, { sql: byValue, by: [], names });
  const counted = `SELECT ${withKeys(pass.keys, ...columns)} FROM (${rows}) m${groupBy(pass.keys)}`;
  const results = measures.flatMap(({ index }) => (isSingle ? [`t${index}`] : [`t${index}`, `c${index}`]));
  const sql = `(${mergeCounts(context, masked, { sql: counted, by: [], names: results })})`;
  return { parts: [{ sql, columns: results }] };
}

function anyOfWord(mask: string, bits: bigint, test: (mask: string, bits: bigint) => string): string[] {
  return bits === 0n ? [] : [test(mask, bits)];
}

/** The bits of a word that stand for stretches in [from, to). */
function bitsOf(from: number, to: number, word: number): bigint {
  const low = Math.max(0, from - word * wordBits);
  const high = Math.min(wordBits, to - word * wordBits);
  return low >= high ? 0n : ((1n << BigInt(high - low)) - 1n) << BigInt(low);
}

function compileWide(
  context: CompileContext,
  { totals }: Scan,
  name: string,
  masked: Masked,
): { readonly parts: readonly Part[]; readonly shared: string | undefined } {
  const { dialect, stages } = context;
  const { pass, value, filter, measures, isOfShard } = masked;
  const place = dialect.bit(`(b % ${wordBits})`);
  const masks = measures.map(
    ({ index }, at) => `${dialect.bitOr(place, filterText(filter, pass.filters[at]))} AS m${index}`,
  );
  const word = `${dialect.divideInteger("b", wordBits, 2 ** 31 - 1)} AS w`;
  const byValueAndWord = `SELECT ${withKeys(pass.keys, value, word, ...masks)} FROM ${pass.rows} r${groupBy(pass.keys, value, "w")}`;
  const names = measures.map(({ index }) => `m${index}`);
  const shared = mergeMasks(context, masked, { sql: byValueAndWord, by: ["w"], names });
  // Shards can't read each other's rows, so each counts its own.
  const isInShard = isOfShard && stages !== undefined;
  const source = isInShard ? `(${shared}) s` : name;
  const parts = [compileWords(context, masked, source, name)];
  return {
    parts: totals ? [...parts, compileWholeWide(context, masked, source)] : parts,
    shared: isInShard ? undefined : shared,
  };
}

/** Compiles lists of words, and of the numbers of the values in each of their buckets. */
function compileWords(context: CompileContext, masked: Masked, source: string, name: string): Part {
  const { dialect } = context;
  const { pass, measures } = masked;
  const counts = measures.map(({ index }) => {
    const bits = Array.from({ length: wordBits }, (_, bit) =>
      dialect.cast(dialect.countWhere(dialect.anyBit(`m${index}`, 1n << BigInt(bit))), "count"),
    );
    return `${dialect.list(bits)} AS x${index}`;
  });
  const counted = `SELECT ${withKeys(pass.keys, "w", ...counts)} FROM ${source}${groupBy(pass.keys, "w")}`;
  const names = measures.map(({ index }) => `x${index}`);
  const byWord = mergeCounts(context, masked, { sql: counted, by: ["w"], names });
  const lists = measures.map(
    ({ index }) => `${dialect.flatten(dialect.collect(`x${index}`, "list"))} AS c${index}`,
  );
  return {
    sql: `(SELECT ${withKeys(pass.keys, `${dialect.collect("w", "place")} AS words_${name}`, ...lists)} FROM (${byWord}) x${groupBy(pass.keys)})`,
    columns: [`words_${name}`, ...measures.map(({ index }) => `c${index}`)],
  };
}

/** Compiles the numbers of values over the whole range. */
function compileWholeWide(context: CompileContext, masked: Masked, source: string): Part {
  const { pass, value, measures } = masked;
  const met = measures.map(({ index }) => `max(m${index}) AS m${index}`);
  const byValue = `SELECT ${withKeys(pass.keys, ...met)} FROM ${source}${groupBy(pass.keys, value)}`;
  const sums = measures.map(
    ({ index }) =>
      `${context.dialect.cast(`count(m${index})`, { of: "number", isList: false })} AS t${index}`,
  );
  const counted = `SELECT ${withKeys(pass.keys, ...sums)} FROM (${byValue}) x${groupBy(pass.keys)}`;
  const names = measures.map(({ index }) => `t${index}`);
  return { sql: `(${mergeCounts(context, masked, { sql: counted, by: [], names })})`, columns: names };
}

function elementsOf({ of }: Distinct, source: Source): ListColumn {
  const { sql, type } = compileExpression(of, source);
  return { name: "elements", sql, of: type.of };
}
