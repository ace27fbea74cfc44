import type { Dialect, Merge, ScalarType, ValueType } from "../../sql/dialect.ts";
import type { Parameter, ScalarValue, Statement } from "../../sql/parameters.ts";
import type { ShardStatement } from "../connection.ts";

const scalars = {
  number: "Float64",
  integer: "Int64",
  text: "String",
  boolean: "Bool",
  event: "UInt32",
} as const satisfies Record<ScalarType, string>;

/** The type of bound values, which are never null. */
const boundType = ({ of, isList }: ValueType): string => (isList ? `Array(${scalars[of]})` : scalars[of]);

/** The type of expressions; a list is never null, and empty without a value. */
const typeName = ({ of, isList }: ValueType): string =>
  isList ? `Array(Nullable(${scalars[of]}))` : `Nullable(${scalars[of]})`;

const withFilter = (aggregate: string, filter: string | undefined): string =>
  filter === undefined ? aggregate : `${aggregate} FILTER (WHERE ${filter})`;

/** Sums of millionths would exceed 64 bits. */
const wide = (integer: string): string => `toInt128(${integer})`;
const inMillionths = (number: string): string => `toInt64(round(${number} * 1e6))`;
const isTooLarge = (number: string): string => `(abs(${number}) >= 1e10)`;
const tooLarge = "a value is too large for millionths";

/** Reports whether a statement failed at a value too large for the sums of its scan. */
export function isTooLargeForSum(error: unknown): boolean {
  return error instanceof Error && (error.message.includes(tooLarge) || isInfinite.test(error.message));
}

/** The millionths of a value near the end of the range of doubles. */
const isInfinite = /^Unexpected inf or nan to integer conversion/;

const isColumn = /^\w+\.\w+$/;

/** The rows of a block in each part of a statement that lists users. */
export const blockRows = {
  /** The default of the server. What is computed once has such blocks, though the whole statement has small ones. */
  usual: 65_409,
  /** A block of stored users is read at once, and few of its rows have the ids. */
  stored: 16_384,
  /** A block is sent as soon as it is sorted, and decoded while the server makes the next. */
  sent: 2_048,
} as const;

export const clickhouseDialect: Dialect = {
  placeholder: (number, type) => `{p${number}:${boundType(type)}}`,
  placeholders: /\{p(\d+):[A-Za-z0-9()]+\}/g,
  typeName,
  cast: (sql, type) => castTo(sql, type),
  divideInteger: (sql, divisor) => `intDiv(${sql}, ${divisor})`,
  // Groups by one or two bytes are found without a hash table.
  place: (sql, count) => `CAST(${sql} AS ${count <= 256 ? "UInt8" : count <= 65_536 ? "UInt16" : "UInt32"})`,
  isFinite: (number) => `isFinite(${number})`,
  // What is below the null of a computed value may be infinite, which fails as a whole number.
  nullable: (value) =>
    isColumn.test(value) ? `toNullable(${value})` : `if(isNull(${value}), NULL, ifNull(${value}, 0))`,
  firstOf: (values, { isList }) =>
    isList
      ? values.reduceRight((rest, value) => `if(empty(${value}), ${rest}, ${value})`)
      : `coalesce(${values.join(", ")})`,
  lookup: (value, keys, texts) => `transform(${value}, ${keys}, ${texts}, NULL)`,
  contains: (text, part) => `(position(${text}, ${part}) > 0)`,
  startsWith: (text, beginning) => `startsWith(${text}, ${beginning})`,
  containsAny: (text, parts) => `arrayExists(p -> position(${text}, p) > 0, ${parts})`,
  isAnyOf: (value, list) => `(${value} IN ${list})`,
  // The dot matches line breaks unless it is said otherwise.
  matches: (text, pattern) => `match(${text}, concat('(?-s)', ${pattern}))`,

  list: (items) => `[${items.join(", ")}]`,
  isEmptyList: (list) => `empty(${list})`,
  elementAt: (list, position) => `arrayElementOrNull(${list}, ${position})`,
  mapElements: (list, text) => `arrayMap(x -> ${text("x")}, ${list})`,
  hasAny: (list, values) => `hasAny(${list}, ${values})`,
  distinctElements: (list, type) => {
    if (type === "text") {
      const texts = `arrayMap(x -> ifNull(x, ''), emptyArrayToSingle(${list}))`;
      return `arrayMap(x -> nullIf(x, ''), arrayDistinct(${texts}))`;
    }
    const present = `arrayDistinct(arrayFilter(x -> x IS NOT NULL, ${list}))`;
    return `if(empty(${list}) OR arrayExists(x -> x IS NULL, ${list}), arrayConcat(${present}, [NULL]), ${present})`;
  },
  distinctTuples: (lists, types) => {
    const clean = lists.map((list, index) =>
      types[index] === "text" ? `arrayMap(x -> nullIf(x, ''), ${list})` : list,
    );
    const nothing = `[tuple(${types.map((of) => `CAST(NULL AS Nullable(${scalars[of]}))`).join(", ")})]`;
    const isNothing = lists.map((list) => `empty(${list})`).join(" AND ");
    return `if(${isNothing}, ${nothing}, arrayDistinct(arrayZipUnaligned(${clean.join(", ")})))`;
  },
  tupleItem: (tuple, position) => `tupleElement(${tuple}, ${position})`,
  unnest: (list) => `arrayJoin(${list})`,
  rowsOf: (columns) => {
    const items = columns.map(({ name }, index) => `tupleElement(z, ${index + 1}) AS ${name}`);
    const lists = columns.map(({ list }) => list);
    return `(SELECT ${items.join(", ")} FROM (SELECT arrayJoin(arrayZip(${lists.join(", ")})) AS z) r)`;
  },
  // Lists can't be null, but their texts can.
  listValue: (from, list) => `if(empty(${from}), NULL, toString(${list}))`,
  asSet: (list) => `arraySort(arrayDistinct(${list}))`,

  states: {
    // Bitmaps take less memory than hash tables and are merged in less time, as rows are sorted by user.
    number: (value, of, filter) =>
      withFilter(of === "users" ? `groupBitmap(${value})` : `uniqExact(${value})`, filter),
    distinct: (value, of, filter) =>
      withFilter(of === "users" ? `groupBitmapState(${value})` : `uniqExactState(${value})`, filter),
    quantile: (value, fraction, filter) =>
      withFilter(`quantileExactInclusiveState(${fraction})(${value})`, filter),
    value: (state) => `finalizeAggregation(${state})`,
    merge(states, of) {
      if (of === "users") return `groupBitmapMerge(${states})`;
      return of === "values"
        ? `uniqExactMerge(${states})`
        : `quantileExactInclusiveMerge(${of.fraction})(${states})`;
    },
  },
  bit: (place) => `bitShiftLeft(toInt64(1), ${place})`,
  anyBit: (mask, bits) => `bitAnd(${mask}, ${bits}) <> 0`,
  countWhere: (condition) => `count(*) FILTER (WHERE ${condition})`,
  bitOr: (mask, filter) => `nullIf(${withFilter(`groupBitOr(${mask})`, filter)}, 0)`,
  quantile: (value, fraction, filter) => withFilter(`quantileExactInclusive(${fraction})(${value})`, filter),
  millionths: (number) => wide(`${inMillionths(number)} + throwIf(${isTooLarge(number)}, '${tooLarge}')`),
  millionthsOrNull: (number) => wide(inMillionths(`if(${isTooLarge(number)}, NULL, ${number})`)),
  // What is too large has failed as a whole number.
  inMillionths: (number) => `(round(${number} * 1e6) / 1e6)`,
  numberOfMillionths: (units) => `(toFloat64(${units}) / 1e6)`,
  // A value without millionths has no remainder: what is below its null may be too large.
  remainder: (number) => wide(`toInt64(ifNull(${number}, 0))`),
  sumInOrder: (list) => `arrayFold((a, x) -> a + x, arraySort(${list}), toFloat64(0))`,
  collect: (value, of) => {
    if (of === "number") return `groupArray(ifNull(toFloat64(${value}), nan))`;
    return `groupArray(${of === "place" ? `assumeNotNull(${value})` : value})`;
  },
  merge: (column, merge) => mergeText(column, merge),
  addByPlace: (places, lists) => `sumMap(${[places, ...lists].join(", ")})`,
  flatten: (lists) => `arrayFlatten(${lists})`,
  asShared: (query) => `AS MATERIALIZED (${query} SETTINGS max_block_size = ${blockRows.usual})`,
  missing: (isList) => (isList ? "[]" : "NULL"),
  onlyValue: (value, isList) => (isList ? `groupArrayArray(${value})` : `any(${value})`),
};

function castTo(sql: string, type: ValueType | "count"): string {
  if (type === "count") return `CAST(${sql} AS Nullable(Int32))`;
  if (sql === "NULL") return `CAST(${type.isList ? "[]" : "NULL"} AS ${typeName(type)})`;
  if (type.isList) return `CAST(${sql} AS ${typeName(type)})`;
  switch (type.of) {
    case "number":
      return `toFloat64(${sql})`;
    case "integer":
      // A number outside the range of integers is none.
      return `accurateCastOrNull(round(${sql}), 'Int64')`;
    default:
      return `CAST(${sql} AS ${typeName(type)})`;
  }
}

function mergeText(column: string, merge: Merge): string {
  switch (merge) {
    case "bits":
      return `groupBitOr(${column})`;
    case "concatenate":
      return `groupArrayArray(${column})`;
    case "addLists":
      return `sumForEach(${column})`;
    case "sum":
    case "min":
    case "max":
      return `${merge}(${column})`;
    default:
      return `quantileExactInclusiveMergeState(${merge.fraction})(${column})`;
  }
}

/** Longer values become literals: the server limits the length of addresses, in which values are sent. */
const maxBoundCharacters = 4_096;
const maxBoundTogether = 32_768;

/** Returns a statement in the form that a connection runs. */
export function bindStatement({ sql, parameters }: Statement): Pick<ShardStatement, "sql" | "parameters"> {
  const bound: Record<string, unknown> = {};
  let characters = 0;
  const literals = new Map<string, string>();
  for (const [index, parameter] of parameters.entries()) {
    const length = lengthOf(parameter);
    characters += Math.min(length, maxBoundCharacters);
    if (length > maxBoundCharacters || characters > maxBoundTogether)
      literals.set(String(index + 1), literalOf(parameter));
    else bound[`p${index + 1}`] = boundValue(parameter);
  }
  if (literals.size === 0) return { sql, parameters: bound };
  const text = sql.replace(
    clickhouseDialect.placeholders,
    (placeholder, digits: string) => literals.get(digits) ?? placeholder,
  );
  return { sql: text, parameters: bound };
}

/** Whole numbers are written without an exponent. */
const boundValue = ({ type, value }: Parameter): unknown => {
  const one = (scalar: ScalarValue): unknown => (type.of === "integer" ? BigInt(scalar) : scalar);
  return typeof value === "object" ? value.map(one) : one(value);
};

function lengthOf({ value }: Parameter): number {
  const one = (scalar: ScalarValue): number => (typeof scalar === "string" ? scalar.length + 3 : 24);
  return typeof value === "object" ? value.reduce((sum: number, item) => sum + one(item), 0) : one(value);
}

function literalOf({ type, value }: Parameter): string {
  const one = (scalar: ScalarValue): string => {
    if (typeof scalar === "string") return `'${scalar.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
    return type.of === "integer" ? String(BigInt(scalar)) : String(scalar);
  };
  const text = typeof value === "object" ? `[${value.map(one).join(", ")}]` : one(value);
  return `CAST(${text} AS ${boundType(type)})`;
}
