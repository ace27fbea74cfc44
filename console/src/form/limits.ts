import { type DescField, getOption, ScalarType } from "@bufbuild/protobuf";
import {
  type FieldLimits,
  limits,
  pattern,
  TextFormat,
  TextFormatSchema,
} from "../../../gen/engage/gateway/v1/limits_pb.ts";
import type { TextKey } from "../texts/catalogue.ts";

/** One limit or one fault, as a text with its values. */
export interface LimitText {
  readonly key: TextKey;
  readonly values?: Readonly<Record<string, string>>;
}

/** Returns the limits that the contract states for a field. */
export function limitsOf(field: DescField): FieldLimits {
  return getOption(field, limits);
}

const formatTexts: Readonly<Record<TextFormat, TextKey | undefined>> = {
  [TextFormat.UNSPECIFIED]: undefined,
  [TextFormat.LINE]: undefined,
  [TextFormat.URL]: "form.format.url",
  [TextFormat.KEY]: "form.format.key",
  [TextFormat.PROPERTY]: "form.format.property",
  [TextFormat.EVENT_NAME]: "form.format.eventName",
  [TextFormat.HEADER_NAME]: "form.format.headerName",
  [TextFormat.HEADER_VALUE]: "form.format.headerValue",
  [TextFormat.LANGUAGE]: "form.format.language",
  [TextFormat.ID]: "form.format.id",
  [TextFormat.DAY]: "form.format.day",
  [TextFormat.TIME]: "form.format.time",
};

/** Says the limits of a field in the order in which a reader needs them. */
export function describeLimits(field: DescField): readonly LimitText[] {
  const { required, format, maxLength, maxItems, defaultValue } = limitsOf(field);
  const formatText = formatTexts[format];
  const isTexts = isTextList(field);
  return [
    ...(required ? [{ key: "form.required" } as const] : []),
    ...(isTexts ? [{ key: "form.lines" } as const] : []),
    ...(formatText === undefined ? [] : [{ key: formatText }]),
    ...rangeText(field),
    ...(maxItems > 0 ? [{ key: "form.maxItems", values: { max: String(maxItems) } } as const] : []),
    ...(maxLength > 0
      ? [
          {
            key: isTexts ? "form.maxLengthEach" : "form.maxLength",
            values: { max: String(maxLength) },
          } as const,
        ]
      : []),
    // A choice shows its default itself.
    ...(defaultValue !== "" && field.scalar !== ScalarType.BOOL
      ? [{ key: "form.default", values: { value: defaultValue } } as const]
      : []),
  ];
}

function rangeText(field: DescField): readonly LimitText[] {
  const { min, max, aboveMin, also } = limitsOf(field);
  if (min === undefined || max === undefined) return [];
  const range = { min: String(min), max: String(max) };
  if (aboveMin) return [{ key: "form.rangeAbove", values: range }];
  if (also !== undefined)
    return [{ key: "form.rangeAlso", values: { min: range.min, max: range.max, also: String(also) } }];
  return [{ key: "form.range", values: range }];
}

export function isTextList(field: DescField): boolean {
  return field.fieldKind === "list" && field.scalar === ScalarType.STRING;
}

const wholeNumber = /^-?\d{1,18}$/;
const decimalNumber = /^-?(\d{1,18}(\.\d{0,18})?|\.\d{1,18})$/;

/**
 * Returns what is wrong with the text of a field; undefined for what the server would accept, as far as that shows
 * here.
 */
export function findFault(field: DescField, text: string): LimitText | undefined {
  const { required, maxItems } = limitsOf(field);
  if (text.trim() === "") return required ? { key: "form.fault.required" } : undefined;
  if (isTextList(field)) {
    const lines = linesOf(text);
    if (maxItems > 0 && lines.length > maxItems) {
      return { key: "form.fault.items", values: { count: String(lines.length), max: String(maxItems) } };
    }
    return lines.map((line) => findTextFault(field, line)).find((fault) => fault !== undefined);
  }
  return isNumber(field) ? findNumberFault(field, text.trim()) : findTextFault(field, text);
}

function findTextFault(field: DescField, text: string): LimitText | undefined {
  const { maxLength, format } = limitsOf(field);
  const length = [...text].length;
  if (maxLength > 0 && length > maxLength) {
    return { key: "form.fault.length", values: { length: String(length), max: String(maxLength) } };
  }
  if (format === TextFormat.URL && !/^https?:\/\/./i.test(text)) return { key: "form.format.url" };
  const value = TextFormatSchema.value[format];
  const source = value === undefined ? "" : getOption(value, pattern);
  const formatText = formatTexts[format];
  if (source === "" || formatText === undefined || new RegExp(source).test(text)) return undefined;
  return { key: formatText };
}

function findNumberFault(field: DescField, text: string): LimitText | undefined {
  const isDecimal = field.scalar === ScalarType.DOUBLE;
  if (!(isDecimal ? decimalNumber : wholeNumber).test(text)) {
    return { key: isDecimal ? "form.fault.decimal" : "form.fault.whole" };
  }
  const { min, max, also, aboveMin } = limitsOf(field);
  const value = Number(text);
  if (min === undefined || max === undefined || value === also) return undefined;
  const isInside = value <= max && (aboveMin ? value > min : value >= min);
  return isInside ? undefined : rangeText(field)[0];
}

const numbers: ReadonlySet<ScalarType> = new Set([ScalarType.INT32, ScalarType.INT64, ScalarType.DOUBLE]);

export function isNumber(field: DescField): boolean {
  return field.scalar !== undefined && numbers.has(field.scalar);
}

/** The texts of a list that is entered one a line; spaces around them and empty lines do not count. */
export function linesOf(text: string): readonly string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}
