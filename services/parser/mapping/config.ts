import { z } from "zod";

/** Creates a strict object whose error for an unknown key lists the valid keys. `expected` describes other accepted forms. */
export function strictShape<T extends z.core.$ZodLooseShape>(shape: T, expected?: string) {
  const valid = Object.keys(shape).join(", ");
  return z.strictObject(shape, {
    error: (issue) => {
      if (issue.code === "unrecognized_keys") {
        return `unknown key ${issue.keys.map((key) => JSON.stringify(key)).join(", ")}, valid keys: ${valid}`;
      }
      return issue.code === "invalid_type" && expected ? `expected ${expected}` : undefined;
    },
  });
}

/** Accepts one value or a list of values, and returns a list. */
export function oneOrMore<T extends z.ZodType>(item: T) {
  return z.preprocess((value) => (Array.isArray(value) ? value : [value]), z.array(item).min(1));
}

const partSchema = z.preprocess(
  (value) => (typeof value === "string" ? { name: value } : value),
  strictShape({
    name: z.string().min(1).describe("key of this part in the object"),
    type: z.enum(["text", "number", "boolean", "list"]).default("text").describe("type of this part"),
    separator: z.string().min(1).optional().describe("list: text between the items, which it needs"),
    quotes: z.enum(["off", "double"]).optional().describe("list: items may be in double quotes [off]"),
    items: z.enum(["text", "number", "boolean"]).optional().describe("list: type of the items [unchanged]"),
  }),
);

/** Keys of columns and mapping entries that configure how a value is converted. */
export const typeShape = {
  type: z
    .enum(["text", "number", "boolean", "list", "object", "json", "tuples", "time"])
    .optional()
    .describe("type the value is converted to; without a type it is passed on unchanged"),
  separator: z
    .string()
    .min(1)
    .optional()
    .describe(
      "list: text between the items (without it the value is a JSON list); tuples: between parts [|]",
    ),
  quotes: z.enum(["off", "double"]).optional().describe("list: items may be in double quotes [off]"),
  items: z.enum(["text", "number", "boolean"]).optional().describe("list: type of the items [unchanged]"),
  itemSeparator: z.string().min(1).optional().describe("tuples: text between the tuples [,]"),
  parts: z.array(partSchema).min(1).optional().describe("tuples: name and type of each part, in order"),
  format: oneOrMore(z.string().min(1))
    .optional()
    .describe(
      "time: iso, unix, unix_ms or a pattern such as dd/MMM/yyyy:HH:mm:ss Z; a list is tried in order",
    ),
  zone: z
    .string()
    .min(1)
    .optional()
    .describe("time: zone of a text without a zone, an offset or an IANA name"),
  outputZone: z
    .string()
    .min(1)
    .optional()
    .describe("time: zone in which the time is written [the input zone]"),
} as const;

const entrySchema = z.preprocess(
  (value) => {
    if (typeof value !== "string") return value;
    return value.includes("{") || value.includes("}") ? { template: value } : { from: value };
  },
  strictShape({
    from: z.string().min(1).optional().describe("source field, dotted for nested ones"),
    template: z
      .string()
      .optional()
      .describe("text with {field} placeholders; {{ and }} are braces; a missing field omits the target"),
    value: z.json().optional().describe("constant"),
    ...typeShape,
    zoneOffset: z
      .boolean()
      .optional()
      .describe(
        "time: also writes the property #zone_offset, hours east [true for #time if its zone is known]",
      ),
    onInvalid: z
      .enum(["fail", "drop"])
      .default("fail")
      .describe("a value that cannot be converted exactly refuses the line, or only omits the target"),
  }),
);

/** Keys of every format with a mapping. */
export const mappingShape = {
  nulls: z
    .array(z.string())
    .optional()
    .describe('texts that mean "no value" ["" for text formats, none for json]'),
  required: z.array(z.string().min(1)).default([]).describe("source fields that every line must have"),
  mapping: z
    .record(z.string().min(1), entrySchema)
    .default({})
    .describe("target to source field, template, constant or typed field; root keys are written at the root"),
  rest: z
    .enum(["keep", "drop", "all"])
    .default("keep")
    .describe(
      "fields that no entry reads: keep them as properties or drop them; all also keeps fields that entries read",
    ),
  zone: z.string().min(1).optional().describe("zone of times without a zone"),
  outputZone: z.string().min(1).optional().describe("zone in which times are written"),
} as const;

export type PartConfig = z.output<typeof partSchema>;
export type TypeConfig = z.output<z.ZodObject<typeof typeShape>>;
export type EntryConfig = z.output<typeof entrySchema>;
export type MappingConfig = z.output<z.ZodObject<typeof mappingShape>>;
