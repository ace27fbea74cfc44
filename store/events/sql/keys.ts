import type { GroupKey } from "../scan.ts";
import type { ScalarType } from "./dialect.ts";
import { compileExpression, compilePredicate } from "./expression.ts";
import type { Source } from "./source.ts";
import { intoSteps } from "./steps.ts";

/** A key's column: what rows select for it, and what it yields in the end. */
export interface CompiledKey {
  readonly name: string;
  readonly sql: string;
  /** `interval` is the number of one. */
  readonly of: ScalarType | "interval";
  /** Keys of the same list property's group go element by element; undefined when the key is no list. */
  readonly unnest: string | undefined;
}

export function compileKeys(keys: readonly GroupKey[], source: Source): readonly CompiledKey[] {
  return keys.map((key, index) => compileKey(key, index, source));
}

function compileKey(key: GroupKey, index: number, source: Source): CompiledKey {
  const name = `k${index}`;
  switch (key.kind) {
    case "predicate":
      return { name, sql: compilePredicate(key.of, source, true), of: "boolean", unnest: undefined };
    case "intervals":
      return { name, sql: compileInterval(key, source), of: "interval", unnest: undefined };
    case "values": {
      const { sql, type } = compileExpression(key.of, source);
      const group = key.of.kind === "property" ? key.of.property.group : undefined;
      const together = group === undefined ? `key ${index}` : `group ${group}`;
      return { name, sql, of: type.of, unnest: type.isList ? together : undefined };
    }
  }
}

function compileInterval(
  { of, boundaries }: Extract<GroupKey, { kind: "intervals" }>,
  source: Source,
): string {
  const { dialect, parameters } = source.surroundings;
  const { sql, type } = compileExpression(of, source);
  if (type.isList || !isNumeric(type.of)) return dialect.cast("NULL", "count");
  const isWhole = type.of === "integer" && boundaries.every(Number.isSafeInteger);
  const value = type.of === "integer" && !isWhole ? dialect.cast(sql, { of: "number", isList: false }) : sql;
  const texts = boundaries.map((boundary) => parameters.bind(isWhole ? "integer" : "number", boundary));
  return `CASE WHEN ${sql} IS NOT NULL THEN ${intoSteps(value, texts, String)} END`;
}

const isNumeric = (of: ScalarType): boolean => of === "number" || of === "integer";
