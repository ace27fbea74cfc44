import { type DescField, getOption, type JsonObject, type JsonValue, ScalarType } from "@bufbuild/protobuf";
import { limitsOf } from "../../base/protobuf/limits.ts";
import { type FieldLimits, pattern, TextFormatSchema } from "../../gen/engage/gateway/v1/limits_pb.ts";

/** What the limits of a field say in JSON Schema: of the list as a whole, and of a value of the field. */
export interface LimitsSchema {
  readonly list: JsonObject;
  readonly value: JsonObject;
}

/** Describes the limits that the contract has for a field. */
export function describeLimits(field: DescField): LimitsSchema {
  const limits = limitsOf(field);
  const { maxItems, secret } = limits;
  return {
    list: maxItems > 0 ? { maxItems } : {},
    value: {
      ...lengthOf(limits),
      ...patternOf(limits, field.fieldKind === "list"),
      ...rangeOf(limits),
      ...defaultOf(field, limits),
      ...(secret && { writeOnly: true }),
    },
  };
}

function lengthOf({ maxLength }: FieldLimits): JsonObject {
  return maxLength > 0 ? { maxLength } : {};
}

/** A field that is not required may be an empty text, which means that it is not set. */
function patternOf({ format, required }: FieldLimits, isList: boolean): JsonObject {
  const value = TextFormatSchema.value[format];
  const source = value === undefined ? "" : getOption(value, pattern);
  if (source === "") return {};
  return { pattern: required || isList ? source : `^$|${source}` };
}

function rangeOf({ min, max, aboveMin, also }: FieldLimits): JsonObject {
  if (min === undefined || max === undefined) return {};
  const range = aboveMin ? { exclusiveMinimum: min, maximum: max } : { minimum: min, maximum: max };
  return also === undefined ? range : { anyOf: [range, { const: also }] };
}

function defaultOf({ scalar }: DescField, { defaultValue }: FieldLimits): JsonObject {
  if (defaultValue === "") return {};
  return { default: defaultIn(scalar, defaultValue) };
}

function defaultIn(scalar: ScalarType | undefined, text: string): JsonValue {
  if (scalar === ScalarType.BOOL) return text === "true";
  return scalar === ScalarType.STRING ? text : Number(text);
}
