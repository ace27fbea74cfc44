import type { GroupKey } from "../scan.ts";
import type { ScalarType } from "./dialect.ts";
import { compileSteps } from "./expression/case-tree.ts";
import { compileExpression, compilePredicate } from "./expression/expression.ts";
import type { Value } from "./expression/value.ts";
import type { MayOccur } from "./relations.ts";
import type { Source } from "./source.ts";

/** The column of a key: its SQL in the rows, and its type in the result. */
export interface CompiledKey {
  readonly name: string;
  readonly sql: string;
  /** `interval`: the number of an interval. */
  readonly of: ScalarType | "interval";
  /**
   * Keys with the same value go element by element, as members of one object group; undefined when the
   * key is not a list.
   */
  readonly unnest: string | undefined;
  /** As for its value. */
  readonly mayOccur?: MayOccur | undefined;
}

export function compileKeys(keys: readonly GroupKey[], source: Source): readonly CompiledKey[] {
  return keys.map((key, index) => compileKey(key, index, source));
}

function compileKey(key: GroupKey, index: number, source: Source): CompiledKey {
  const name = `k${index}`;
  switch (key.kind) {
    case "predicate":
      return { name, sql: compilePredicate(key.of, source, true), of: "boolean", unnest: undefined };
    case "intervals": {
      const value = compileExpression(key.of, source);
      const unnest = value.type.isList && isNumeric(value.type.of) ? togetherOf(key, index) : undefined;
      return { name, sql: compileInterval(value, key.boundaries, source), of: "interval", unnest };
    }
    case "values": {
      const { sql, type, mayOccur } = compileExpression(key.of, source);
      const unnest = type.isList ? togetherOf(key, index) : undefined;
      return { name, sql, of: type.of, unnest, mayOccur };
    }
  }
}

function togetherOf({ of }: Exclude<GroupKey, { kind: "predicate" }>, index: number): string {
  const group = of.kind === "property" ? of.property.group : undefined;
  return group === undefined ? `key ${index}` : `group ${group}`;
}

/** Compiles the interval of a value, or of each element of a list. */
function compileInterval({ sql, type }: Value, boundaries: readonly number[], source: Source): string {
  const { dialect, parameters } = source.context;
  if (!isNumeric(type.of)) return dialect.cast("NULL", "count");
  const isWhole = type.of === "integer" && boundaries.every(Number.isSafeInteger);
  const texts = boundaries.map((boundary) => parameters.bind(isWhole ? "integer" : "number", boundary));
  const intervalOf = (value: string): string => {
    const compared =
      type.of === "integer" && !isWhole ? dialect.cast(value, { of: "number", isList: false }) : value;
    return `CASE WHEN ${value} IS NOT NULL THEN ${compileSteps(compared, texts, String)} END`;
  };
  return type.isList ? dialect.mapElements(sql, intervalOf) : intervalOf(sql);
}

const isNumeric = (of: ScalarType): boolean => of === "number" || of === "integer";
