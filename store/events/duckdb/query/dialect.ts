import {
  BIGINT,
  BOOLEAN,
  DOUBLE,
  type DuckDBType,
  type DuckDBValue,
  INTEGER,
  LIST,
  listValue,
  VARCHAR,
} from "@duckdb/node-api";
import type { Dialect, ScalarType, ValueType } from "../../sql/dialect.ts";
import type { Parameter, ScalarValue, Statement } from "../../sql/parameters.ts";
import { notDecimal } from "../errors.ts";

const scalars = {
  number: "DOUBLE",
  integer: "BIGINT",
  text: "VARCHAR",
  boolean: "BOOLEAN",
  event: "INTEGER",
} as const satisfies Record<ScalarType, string>;

const typeName = ({ of, isList }: ValueType): string => `${scalars[of]}${isList ? "[]" : ""}`;
const withFilter = (aggregate: string, filter: string | undefined): string =>
  filter === undefined ? aggregate : `${aggregate} FILTER (WHERE ${filter})`;

/** Represents whole numbers below 10^10 exactly, and numbers with six decimal places below 2^53 / 10^6. */
const millionths = "DECIMAL(16, 6)";

/** The largest integer of 32 bits, with which a division takes a fifth of the time. */
const maxInteger = 2 ** 31 - 1;

export const duckdbDialect: Dialect = {
  placeholder: (number) => `$${number}`,
  placeholders: /\$(\d+)/g,
  typeName,
  cast: (sql, type) => `CAST(${sql} AS ${type === "count" ? "INTEGER" : typeName(type)})`,
  divideInteger: (sql, divisor, max) =>
    max > maxInteger ? `(${sql} // ${divisor})` : `(CAST(${sql} AS INTEGER) // ${divisor})`,
  place: (sql) => `CAST(${sql} AS INTEGER)`,
  isFinite: (number) => `isfinite(${number})`,
  nullable: (value) => value,
  firstOf: (values) => `coalesce(${values.join(", ")})`,
  contains: (text, part) => `contains(${text}, ${part})`,
  startsWith: (text, beginning) => `starts_with(${text}, ${beginning})`,
  containsAny: (text, parts) => `list_bool_or(list_transform(${parts}, lambda p: contains(${text}, p)))`,
  isAnyOf: (value, list) => `(${value} IN (SELECT unnest(${list})))`,
  // Unlike a comparison, a function is computed once for each text of a dictionary.
  isAnyOfFew: (text, list) => `list_contains(${list}, ${text})`,
  matches: (text, pattern) => `regexp_matches(${text}, ${pattern})`,

  list: (items) => `[${items.join(", ")}]`,
  isEmptyList: (list) => `(len(${list}) = 0)`,
  elementAt: (list, position) => `(${list})[${position}]`,
  mapElements: (list, text) => `list_transform(${list}, lambda x: ${text("x")})`,
  hasAny: (list, values) => `list_has_any(${list}, ${values})`,
  distinctElements: (list, type) => {
    const clean = withoutEmptyTexts(list, type);
    // list_distinct leaves nulls out. Most lists contain neither nulls nor empty texts.
    const hasNulls = `list_count(${list}) < len(${list})`;
    const isUnclean = type === "text" ? `${hasNulls} OR list_contains(${list}, '')` : hasNulls;
    const elements = `CASE WHEN ${isUnclean} THEN list_concat(list_distinct(${clean}), [NULL]) ELSE list_distinct(${list}) END`;
    return `CASE WHEN ${isShortSet(list, type)} THEN ${list} WHEN len(${list}) > 0 THEN ${elements} ELSE [NULL] END`;
  },
  distinctTuples: (lists, types) => {
    const clean = lists.map((list, index) => withoutEmptyTexts(list, types[index]!));
    const lengths = lists.map((list) => `coalesce(len(${list}), 0)`);
    const nothing = `list_zip(${types.map((of) => `[CAST(NULL AS ${scalars[of]})]`).join(", ")})`;
    return `CASE WHEN greatest(${lengths.join(", ")}) > 0 THEN list_distinct(list_zip(${clean.join(", ")})) ELSE ${nothing} END`;
  },
  tupleItem: (tuple, position) => `${tuple}[${position}]`,
  unnest: (list) => `unnest(${list})`,
  rowsOf: (columns) => `(SELECT ${columns.map(({ name, list }) => `unnest(${list}) AS ${name}`).join(", ")})`,
  listValue: (from, list) => `CASE WHEN NOT (len(${from}) = 0) THEN ${list} END`,
  asSet: (list) => `list_sort(list_distinct(${list}))`,

  bit: (place) => (place === "0" ? "CAST(1 AS BIGINT)" : `(CAST(1 AS BIGINT) << ${place})`),
  anyBit: (mask, bits) => `(${mask} & ${bits}) <> 0`,
  // A count with FILTER copies the rows that it counts, which takes twice the time for the days of a month.
  countWhere: (condition) => `coalesce(sum(CAST(${condition} AS INTEGER)), 0)`,
  bitOr: (mask, filter) => withFilter(`bit_or(${mask})`, filter),
  quantile: (value, fraction, filter) => withFilter(`quantile_cont(${value}, ${fraction})`, filter),
  millionths: (number) => `CAST(${number} AS ${millionths})`,
  millionthsOrNull: (number) => `TRY_CAST(${number} AS ${millionths})`,
  numberOfMillionths: (units) => `CAST(${units} AS DOUBLE)`,
  // Most values have none; finding that out takes a third of the time of casting and adding zeros.
  remainder: (number, isPresent) => `CASE WHEN ${isPresent} THEN CAST(${number} AS BIGINT) END`,
  decimalSums: {
    split(value) {
      const units = `round(${value} * 1e6)`;
      return [units, `CASE WHEN ${value} <> ${units} / 1e6 THEN 1e300 ELSE abs(${units}) END`];
    },
    sum(units, size, filter) {
      const isInexact = `${withFilter(`sum(${size})`, filter)} > ${Number.MAX_SAFE_INTEGER}`;
      const sum = `CAST(${withFilter(`sum(${units})`, filter)} AS DECIMAL(22, 0)) * CAST(0.000001 AS ${millionths})`;
      return `CASE WHEN ${isInexact} THEN error('${notDecimal}') ELSE ${sum} END`;
    },
  },
  sumInOrder: (list) => `list_sum(list_sort(${list}))`,
  collect: (value) => `list(${value})`,
  merge: onlyOneShard,
  flatten: (lists) => `flatten(${lists})`,
  asShared: (query) => `AS MATERIALIZED (${query})`,
  missing: () => "NULL",
  onlyValue: (value) => `any_value(${value})`,
};

function onlyOneShard(): never {
  throw new Error("the engine has no shards");
}

/** Up to this length, comparing all elements of a list takes less time than `list_distinct`, which hashes them. */
const maxCompared = 4;

/** A condition that holds for short lists without equal elements, nulls and empty texts. */
function isShortSet(list: string, type: ScalarType): string {
  const lengths = Array.from({ length: maxCompared }, (_, at) => at + 1);
  const ofLength = lengths.map((length) => {
    const elements = Array.from({ length }, (_, at) => `${list}[${at + 1}]`);
    const present = elements.map((one) => (type === "text" ? `${one} <> ''` : `${one} IS NOT NULL`));
    const differ = elements.flatMap((one, at) => elements.slice(at + 1).map((other) => `${one} <> ${other}`));
    return `(${[`len(${list}) = ${length}`, ...differ, ...present].join(" AND ")})`;
  });
  return ofLength.join(" OR ");
}

function withoutEmptyTexts(list: string, type: ScalarType): string {
  return type === "text"
    ? `CASE WHEN list_contains(${list}, '') THEN list_transform(${list}, lambda x: nullif(x, '')) ELSE ${list} END`
    : list;
}

const types = {
  number: DOUBLE,
  integer: BIGINT,
  text: VARCHAR,
  boolean: BOOLEAN,
  event: INTEGER,
} as const satisfies Record<ScalarType, DuckDBType>;

/** Returns a statement in the form that a connection runs: text, values and their types. */
export function bindStatement({
  sql,
  parameters,
}: Statement): [sql: string, values: DuckDBValue[], types: DuckDBType[]] {
  return [
    sql,
    parameters.map(bindValue),
    parameters.map(({ type }) => (type.isList ? LIST(types[type.of]) : types[type.of])),
  ];
}

function bindValue({ type, value }: Parameter): DuckDBValue {
  const one = (scalar: ScalarValue): DuckDBValue => (type.of === "integer" ? BigInt(scalar) : scalar);
  return typeof value === "object" ? listValue(value.map(one)) : one(value);
}
