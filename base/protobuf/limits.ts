import { type DescField, getOption } from "@bufbuild/protobuf";
import {
  type FieldLimits,
  limits,
  pattern,
  type TextFormat,
  TextFormatSchema,
} from "../../gen/engage/gateway/v1/limits_pb.ts";

/** Returns the limits of a field's values, as the contract states them. */
export function limitsOf(field: DescField): FieldLimits {
  return getOption(field, limits);
}

/** Returns the pattern of the texts of a format. @throws Error for a format that no pattern describes */
export function patternOf(format: TextFormat): RegExp {
  const found = TextFormatSchema.value[format];
  const source = found === undefined ? "" : getOption(found, pattern);
  if (source === "") throw new Error(`the format ${found?.name ?? format} has no pattern`);
  return new RegExp(source);
}

/** Returns the range of a field's numbers. @throws Error for a field without one */
export function rangeOf(field: DescField): { readonly min: number; readonly max: number } {
  const { min, max } = limitsOf(field);
  if (min === undefined || max === undefined)
    throw new Error(`${field.parent.typeName}.${field.name} has no range`);
  return { min, max };
}
