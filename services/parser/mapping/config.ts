import { z } from "zod";
import { knownNames } from "../../../base/text/known-names.ts";
import { quoteText } from "../../../base/text/quote.ts";

/** Most unknown keys of one object that are described. */
const maxDescribed = 10;

/**
 * Creates a strict object whose error for an unknown key has the valid keys. `expected` describes other accepted forms.
 */
export function strictShape<T extends z.core.$ZodLooseShape>(shape: T, expected?: string) {
  const valid = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) => {
      if (issue.code === "unrecognized_keys") {
        return issue.keys
          .slice(0, maxDescribed)
          .map((key) => `unknown key ${quoteText(key)}, ${knownNames(key, valid)}`)
          .join("; ");
      }
      return issue.code === "invalid_type" && expected ? `expected ${expected}` : undefined;
    },
  });
}

/** Accepts one value or a list of values, and returns a list. */
export function oneOrMore<T extends z.ZodType>(item: T) {
  return z.preprocess((value) => (Array.isArray(value) ? value : [value]), z.array(item).min(1));
}

/** Keys that configure how a list is read. */
const listShape = {
  quotes: z
    .enum(["off", "double"])
    .optional()
    .describe("list: double: items may be in double quotes. Default: off."),
  items: z
    .enum(["text", "number", "boolean"])
    .optional()
    .describe("list: type of the items. Default: they are passed on unchanged."),
};

const partSchema = z.preprocess(
  (value) => (typeof value === "string" ? { name: value } : value),
  strictShape({
    name: z
      .string()
      .min(1)
      .meta({ description: "Key of this part in the object.", examples: ["item"] }),
    type: z.enum(["text", "number", "boolean", "list"]).default("text").describe("Type of this part."),
    separator: z
      .string()
      .min(1)
      .optional()
      .meta({ description: "list: text between the items. A list needs it.", examples: ["|"] }),
    ...listShape,
  }),
);

/** Keys of columns and mapping entries that configure how a value is converted. */
export const typeShape = {
  type: z
    .enum(["text", "number", "boolean", "list", "object", "json", "tuples", "time"])
    .optional()
    .describe("Type that the value is converted to. Default: the value is passed on unchanged."),
  separator: z
    .string()
    .min(1)
    .optional()
    .meta({
      description:
        "list: text between the items. Default: the value is a JSON list. tuples: text between the parts. Default: |.",
      examples: [";"],
    }),
  ...listShape,
  itemSeparator: z
    .string()
    .min(1)
    .optional()
    .meta({ description: "tuples: text between the tuples. Default: a comma.", examples: [";"] }),
  parts: z
    .array(partSchema)
    .min(1)
    .optional()
    .meta({
      description: "tuples: the parts in order: a name, or a name and its type. Tuples need them.",
      examples: [["item", { name: "count", type: "number" }]],
    }),
  format: oneOrMore(z.string().min(1))
    .optional()
    .meta({
      description:
        "time: iso, unix, unix_ms or a pattern such as dd/MMM/yyyy:HH:mm:ss Z. A list is tried in order. A time needs it.",
      examples: ["yyyy-MM-dd HH:mm:ss"],
    }),
  zone: z
    .string()
    .min(1)
    .optional()
    .meta({
      description:
        "time: zone of a text without a zone, an offset or an IANA name. Default: that of the format.",
      examples: ["+08:00"],
    }),
  outputZone: z
    .string()
    .min(1)
    .optional()
    .meta({
      description:
        "time: zone in which the time is written. Default: that of the format, else the input zone.",
      examples: ["+00:00"],
    }),
} as const;

const entrySchema = z.preprocess(
  (value) => {
    if (typeof value !== "string") return value;
    return value.includes("{") || value.includes("}") ? { template: value } : { from: value };
  },
  strictShape({
    from: z
      .string()
      .min(1)
      .optional()
      .meta({ description: "Source field, dotted for nested ones.", examples: ["user.id"] }),
    template: z
      .string()
      .optional()
      .meta({
        description:
          "Text with {field} placeholders; {{ and }} are braces. A missing field omits the target.",
        examples: ["event_{code}"],
      }),
    value: z
      .json()
      .optional()
      .meta({ description: "Constant value.", examples: ["track"] }),
    ...typeShape,
    zoneOffset: z
      .boolean()
      .optional()
      .describe(
        "time: whether the property #zone_offset is written too, in hours east. Default: true for #time if its zone is known.",
      ),
    onInvalid: z
      .enum(["fail", "drop"])
      .default("fail")
      .describe(
        "Treatment of a value that cannot be converted exactly. fail: the line is refused. drop: the target is omitted.",
      ),
  }),
);

/** Keys of every format with a mapping. */
export const mappingShape = {
  nulls: z
    .array(z.string())
    .optional()
    .meta({
      description: 'Texts that mean "no value". Default: the empty text for formats of text, none for json.',
      examples: [["", "-", "null"]],
    }),
  required: z
    .array(z.string().min(1))
    .default([])
    .meta({ description: "Source fields that every line must have.", examples: [["user", "time"]] }),
  mapping: z
    .record(z.string().min(1), entrySchema)
    .default({})
    .meta({
      description:
        "Fields of the record by their names: a source field, template, constant or typed field. Names of root keys, " +
        "which begin with #, are written at the root.",
      examples: [{ "#account_id": "user", "#event_name": "event_{code}" }],
    }),
  rest: z
    .enum(["keep", "drop", "all"])
    .default("keep")
    .describe(
      "Fields that no entry reads. keep: they become properties. drop: they are left out. all: fields that entries read " +
        "become properties too.",
    ),
  zone: z
    .string()
    .min(1)
    .optional()
    .meta({
      description: "Zone of times without a zone, an offset or an IANA name. Default: none.",
      examples: ["+08:00"],
    }),
  outputZone: z
    .string()
    .min(1)
    .optional()
    .meta({
      description: "Zone in which times are written. Default: the zone of the input.",
      examples: ["+00:00"],
    }),
} as const;

export type PartConfig = z.output<typeof partSchema>;
export type TypeConfig = z.output<z.ZodObject<typeof typeShape>>;
export type EntryConfig = z.output<typeof entrySchema>;
export type MappingConfig = z.output<z.ZodObject<typeof mappingShape>>;
