import type { DescMessage, JsonObject, JsonValue } from "@bufbuild/protobuf";
import { type PlatformField, type PlatformForm, platformFieldsOf } from "./query-fields.ts";
import { looksNull, nullLabel } from "./read-query.ts";

/** Translates the proto3 JSON of a message. Queries and filters are written as in the platform's own API. */
export function writeQuery(desc: DescMessage, json: JsonValue): JsonValue {
  if (typeof json !== "object" || json === null || Array.isArray(json)) return json;
  const fields = platformFieldsOf(desc);
  const written = Object.entries(json).flatMap(([key, value]) => {
    const field = fields.get(key);
    const found = field === undefined ? value : writeField(field, value);
    return found === undefined ? [] : [[key, found] as const];
  });
  return Object.fromEntries(written);
}

function writeField({ form, isList }: PlatformField, value: JsonValue): JsonValue | undefined {
  if (!isList || !Array.isArray(value)) return writeValue(form, value);
  return value.map((item) => writeValue(form, item) ?? item);
}

function writeValue(form: PlatformForm, value: JsonValue): JsonValue | undefined {
  switch (form.kind) {
    case "message":
      return writeQuery(form.message, value);
    case "words":
      return form.words.wordOf.has(value) ? form.words.wordOf.get(value) : value;
    case "texts":
      return value;
    case "labels":
      return writeLabel((value as JsonObject)["label"]);
  }
}

function writeLabel(label: JsonValue | undefined): JsonValue {
  if (label === undefined) return nullLabel;
  return typeof label === "string" && looksNull.test(label) ? `\\${label}` : label;
}
