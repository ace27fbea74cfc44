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
import type { ScalarType } from "../../sql/dialect.ts";
import type { Parameter, ScalarValue, Statement } from "../../sql/parameters.ts";

const types = {
  number: DOUBLE,
  integer: BIGINT,
  text: VARCHAR,
  boolean: BOOLEAN,
  event: INTEGER,
} as const satisfies Record<ScalarType, DuckDBType>;

/** A statement as a connection runs it: text, values and their types. */
export function bound({
  sql,
  parameters,
}: Statement): [sql: string, values: DuckDBValue[], types: DuckDBType[]] {
  return [
    sql,
    parameters.map(boundValue),
    parameters.map(({ type }) => (type.isList ? LIST(types[type.of]) : types[type.of])),
  ];
}

function boundValue({ type, value }: Parameter): DuckDBValue {
  const one = (scalar: ScalarValue): DuckDBValue => (type.of === "integer" ? BigInt(scalar) : scalar);
  return typeof value === "object" ? listValue(value.map(one)) : one(value);
}
