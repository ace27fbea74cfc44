import { isRawNumber } from "../../../base/json/exact-numbers.ts";
import { isJsonObject, parseJson, setKey } from "../../../base/json/raw-numbers.ts";
import { exactCountOf } from "../../../base/text/count.ts";
import { quoteText } from "../../../base/text/quote.ts";
import { Refusal, refuse } from "../line/line.ts";
import type { PartConfig, TypeConfig } from "./config.ts";
import { readNumber } from "./number.ts";
import type { ConfigPath, Problems } from "./problems.ts";
import { textOf } from "./template.ts";

/** Converts a value that is neither missing nor null exactly, or refuses it. */
export type Convert = (value: unknown) => unknown | Refusal;

function refuseType(value: unknown, wanted: string): Refusal {
  return refuse("invalid_value", `${quoteText(textOf(value))} is not ${wanted}`);
}

const toText: Convert = textOf;

const toNumber: Convert = (value) => {
  if (typeof value === "number" || isRawNumber(value)) return value;
  const number = typeof value === "string" ? readNumber(value) : undefined;
  return number ?? refuseType(value, "a number");
};

const toBoolean: Convert = (value) => {
  if (typeof value === "boolean") return value;
  const text = textOf(value).trim().toLowerCase();
  if (text === "true" || text === "1") return true;
  return text === "false" || text === "0" ? false : refuseType(value, "true, false, 1 or 0");
};

/** Parses a text as JSON and returns other values unchanged; undefined when the text is not JSON. */
function jsonOf(value: unknown): unknown {
  if (typeof value !== "string") return value;
  try {
    return parseJson(value);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const toJson: Convert = (value) => {
  const json = jsonOf(value);
  return json === undefined ? refuseType(value, "JSON") : json;
};

const toObject: Convert = (value) => {
  const json = jsonOf(value);
  return isJsonObject(json) ? json : refuseType(value, "a JSON object");
};

const simple = {
  text: toText,
  number: toNumber,
  boolean: toBoolean,
  json: toJson,
  object: toObject,
} as const;

/** Converts every element; refuses the list at the first element that cannot be converted. */
function convertAll(values: readonly unknown[], convert: Convert): unknown[] | Refusal {
  const converted: unknown[] = [];
  for (const [at, value] of values.entries()) {
    const result = convert(value);
    if (result instanceof Refusal) return refuse("invalid_value", `item ${at + 1}: ${result.message}`);
    converted.push(result);
  }
  return converted;
}

function compileList(config: Pick<TypeConfig, "items" | "separator" | "quotes">): Convert {
  const item = config.items === undefined ? undefined : simple[config.items];
  const separator = config.separator;
  const unquote = config.quotes === "double";
  return (value) => {
    let list: unknown = value;
    if (typeof value === "string")
      list = separator === undefined ? jsonOf(value) : splitList(value, separator);
    if (!Array.isArray(list)) return refuseType(value, "a list");
    if (unquote) list = list.map((text) => (typeof text === "string" ? withoutQuotes(text) : text));
    return item === undefined ? list : convertAll(list as unknown[], item);
  };
}

function splitList(text: string, separator: string): string[] {
  return text === "" ? [] : text.split(separator);
}

function withoutQuotes(text: string): string {
  const quoted = text.length >= 2 && text.startsWith('"') && text.endsWith('"');
  return quoted ? text.slice(1, -1).replaceAll('""', '"') : text;
}

/**
 * Compiles texts such as `1|2,3|4` to lists of objects whose keys are the parts. The key of an empty part is omitted.
 */
function compileTuples(config: TypeConfig, at: ConfigPath, problems: Problems): Convert {
  const parts = config.parts ?? [];
  if (config.parts === undefined) problems.add(at, "tuples need parts, the names of their values in order");
  const names = parts.map((part) => part.name);
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) problems.add([...at, "parts"], `part ${quoteText(repeated)} is named twice`);
  const between = config.itemSeparator ?? ",";
  const within = config.separator ?? "|";
  if (between === within)
    problems.add([...at, "itemSeparator"], `separator and itemSeparator are both ${quoteText(within)}`);
  const converts = parts.map((part, index) =>
    compilePart(part, [within, between], [...at, "parts", index], problems),
  );
  const readTuple = (text: unknown): unknown => {
    const values = String(text).split(within);
    if (values.length !== names.length) {
      return refuse(
        "invalid_value",
        `want ${exactCountOf(names.length, "part")} (${names.join(", ")}), got ${values.length}`,
      );
    }
    const tuple: Record<string, unknown> = {};
    for (const [index, value] of values.entries()) {
      if (value === "") continue;
      const converted = converts[index]!(value);
      if (converted instanceof Refusal)
        return refuse("invalid_value", `${names[index]}: ${converted.message}`);
      setKey(tuple, names[index]!, converted);
    }
    return tuple;
  };
  return (value) => (Array.isArray(value) ? value : convertAll(splitList(textOf(value), between), readTuple));
}

/** Compiles one part. A list within a tuple needs a separator that ends neither the part nor the tuple. */
function compilePart(
  part: PartConfig,
  outer: readonly string[],
  at: ConfigPath,
  problems: Problems,
): Convert {
  if (part.type !== "list") {
    checkTypeKeys(part, at, problems);
    return simple[part.type];
  }
  const { separator } = part;
  if (separator === undefined) problems.add(at, "a list within tuples needs a separator between its items");
  const overlapping = outer.find((one) => separator?.includes(one) || one.includes(separator ?? one));
  if (separator !== undefined && overlapping !== undefined) {
    const taken = `${quoteText(separator)} cannot be distinguished from ${quoteText(overlapping)}`;
    problems.add([...at, "separator"], `${taken}, which separates parts or tuples`);
  }
  return compileList(part);
}

/** The keys that each type uses in addition to `type`. */
const keysOfType: Readonly<Record<string, readonly string[]>> = {
  list: ["separator", "quotes", "items"],
  tuples: ["separator", "itemSeparator", "parts"],
  time: ["format", "zone", "outputZone"],
};

/** Reports keys that have no effect on the type. */
export function checkTypeKeys(config: TypeConfig | PartConfig, at: ConfigPath, problems: Problems): void {
  const type = config.type;
  const used = type === undefined || !Object.hasOwn(keysOfType, type) ? [] : keysOfType[type]!;
  for (const key of new Set(Object.values(keysOfType).flat())) {
    if ((config as Readonly<Record<string, unknown>>)[key] === undefined || used.includes(key)) continue;
    const users = Object.keys(keysOfType).filter((user) => keysOfType[user]!.includes(key));
    problems.add(
      [...at, key],
      `${key} has no effect on type ${type ?? "(none)"}, only for ${users.join(", ")}`,
    );
  }
}

/** Compiles the conversion to a type other than time; undefined without a type. */
export function compileConvert(config: TypeConfig, at: ConfigPath, problems: Problems): Convert | undefined {
  if (config.type === undefined || config.type === "time") return undefined;
  if (config.type === "list") return compileList(config);
  if (config.type === "tuples") return compileTuples(config, at, problems);
  return simple[config.type];
}
