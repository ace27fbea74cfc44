import { isJsonObject, parseJson } from "../../../base/json/raw-numbers.ts";
import { quoteText } from "../../../base/text/quote.ts";
import { refuse } from "../line/line.ts";
import { type Fields, readPath } from "../mapping/fields.ts";
import type { FormatConfigOf } from "./config.ts";
import type { FieldReader, ReadLine } from "./field-reader.ts";

/** Reads one JSON object, a list of objects, or with `records` an object that contains such a list. */
export function createJsonReader(config: Pick<FormatConfigOf<"json">, "records" | "envelope">): FieldReader {
  const { records, envelope } = config;
  const take = records === undefined ? objectsOf : compileRecords(records, envelope === "keep");
  const read: ReadLine = (line) => {
    let value: unknown;
    try {
      value = parseJson(line);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      return refuse("invalid_json", `invalid JSON: ${error.message}`);
    }
    return take(value);
  };
  return { read, knownFields: undefined };
}

type Take = (value: unknown) => ReturnType<ReadLine>;

const objectsOf: Take = (value) => {
  if (isJsonObject(value)) return [value];
  if (!Array.isArray(value))
    return refuse("not_an_object", `want an object or a list of objects, got ${kindOf(value)}`);
  const bad = value.findIndex((element) => !isJsonObject(element));
  if (bad === -1) return value as Fields[];
  return refuse("not_an_object", `element ${bad + 1} is ${kindOf(value[bad])}`);
};

function compileRecords(path: string, keepEnvelope: boolean): Take {
  return (value) => {
    if (!isJsonObject(value)) return refuse("not_an_object", `want an object, got ${kindOf(value)}`);
    const list = readPath(value, path);
    if (list === undefined || list === null) return refuse("missing_key", `${path} is missing`);
    const found = objectsOf(list);
    if (!Array.isArray(found) || !keepEnvelope) return found;
    const outer = Object.hasOwn(value, path) ? path : path.split(".")[0]!;
    const around = Object.fromEntries(Object.entries(value).filter(([key]) => key !== outer));
    return found.map((fields: Fields) => ({ ...around, ...fields }));
  };
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return isJsonObject(value) ? "an object" : quoteText(String(JSON.stringify(value)));
}
