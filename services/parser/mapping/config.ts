import { z } from "zod";

/** A strict object whose refusal of an unknown key lists the valid ones. `expected` describes other accepted forms. */
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

/** One value or a list of them, always read as a list. */
export function oneOrMore<T extends z.ZodType>(item: T) {
  return z.preprocess((value) => (Array.isArray(value) ? value : [value]), z.array(item).min(1));
}

const partSchema = z.preprocess(
  (value) => (typeof value === "string" ? { name: value } : value),
  strictShape({
    name: z.string().min(1).describe("key of this part in the object"),
    type: z.enum(["text", "number", "boolean", "list"]).default("text").describe("type of this part"),
    separator: z.string().min(1).optional().describe("list: text between the items, which it needs"),
    quotes: z.enum(["off", "double"]).optional().describe("list: items may stand in double quotes [off]"),
    items: z.enum(["text", "number", "boolean"]).optional().describe("list: type of the items [as they are]"),
  }),
);

/** The keys that say how a value is read: shared by columns and mapping entries. */
export const typeShape = {
  type: z
    .enum(["text", "number", "boolean", "list", "object", "json", "tuples", "time"])
    .optional()
    .describe("type the value is converted to; without one it is handed on as it is"),
  separator: z
    .string()
    .min(1)
    .optional()
    .describe(
      "list: text between the items (without it the value is a JSON list); tuples: between parts [|]",
    ),
  quotes: z.enum(["off", "double"]).optional().describe("list: items may stand in double quotes [off]"),
  items: z.enum(["text", "number", "boolean"]).optional().describe("list: type of the items [as they are]"),
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
    .describe("time: zone of a text that carries none, an offset or IANA name"),
  outputZone: z.string().min(1).optional().describe("time: zone the time is written in [the input zone]"),
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
      .describe("text with {field} in it; {{ and }} are braces; a missing field leaves the target out"),
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
      .describe("a value that does not convert exactly fails the line, or only leaves the target out"),
  }),
);

/** What every format with a mapping accepts beside its own keys. */
export const mappingShape = {
  nulls: z
    .array(z.string())
    .optional()
    .describe('texts that mean "no value" ["" for text formats, none for json]'),
  required: z.array(z.string().min(1)).default([]).describe("source fields without which a line is bad"),
  mapping: z
    .record(z.string().min(1), entrySchema)
    .default({})
    .describe("target to source field, template, constant or typed field; root keys stay at the root"),
  rest: z
    .enum(["keep", "drop", "all"])
    .default("keep")
    .describe("fields no entry reads: keep them as properties, drop them, or all: also those that are read"),
  zone: z.string().min(1).optional().describe("default zone of times without one"),
  outputZone: z.string().min(1).optional().describe("default zone times are written in"),
} as const;

export type PartConfig = z.output<typeof partSchema>;
export type TypeConfig = z.output<z.ZodObject<typeof typeShape>>;
export type EntryConfig = z.output<typeof entrySchema>;
export type MappingConfig = z.output<z.ZodObject<typeof mappingShape>>;
