import { type DescEnum, type DescField, type DescMessage, getOption } from "@bufbuild/protobuf";
import { GroupValueSchema } from "../../../gen/engage/analysis/v1/result_pb.ts";
import { json_word } from "../../../gen/engage/gateway/v1/options_pb.ts";

/** The form of a field in the platform's own API, if it differs from proto3 JSON. */
export type PlatformForm =
  /** A message whose fields may differ. */
  | { readonly kind: "message"; readonly message: DescMessage }
  /** Words instead of the names of an enum. */
  | { readonly kind: "words"; readonly words: EnumWords }
  /** Literals, which may be numbers. */
  | { readonly kind: "texts" }
  /** Labels of groups. */
  | { readonly kind: "labels" };

export interface EnumWords {
  readonly nameOf: ReadonlyMap<unknown, string>;
  /** The words of values; undefined for the value that means not set. */
  readonly wordOf: ReadonlyMap<unknown, string | undefined>;
}

export interface PlatformField {
  readonly name: string;
  readonly isList: boolean;
  readonly form: PlatformForm;
}

const literals: ReadonlySet<string> = new Set([
  "engage.analysis.v1.Filter.ftv",
  "engage.analysis.v1.QuotaTimeRange.params",
]);

const known = new WeakMap<DescMessage, ReadonlyMap<string, PlatformField>>();

/** Returns the fields that may differ, by both of their names in JSON. */
export function platformFieldsOf(desc: DescMessage): ReadonlyMap<string, PlatformField> {
  let fields = known.get(desc);
  if (fields === undefined) {
    fields = new Map(desc.fields.flatMap(namesOf));
    known.set(desc, fields);
  }
  return fields;
}

function namesOf(field: DescField): readonly (readonly [string, PlatformField])[] {
  const form = formOf(field);
  if (form === undefined) return [];
  const found = { name: field.name, isList: field.fieldKind === "list", form };
  return [field.jsonName, field.name].map((name) => [name, found]);
}

function formOf(field: DescField): PlatformForm | undefined {
  if (field.fieldKind === "map") return undefined;
  const { message } = field;
  if (message?.typeName === GroupValueSchema.typeName) return { kind: "labels" };
  if (message !== undefined) {
    return message.typeName.startsWith("google.") ? undefined : { kind: "message", message };
  }
  if (literals.has(`${field.parent.typeName}.${field.name}`)) return { kind: "texts" };
  const words = field.enum && wordsOf(field.enum);
  return words && { kind: "words", words };
}

/** Returns undefined for an enum that is written by its names. */
function wordsOf({ values }: DescEnum): EnumWords | undefined {
  const pairs = values.map((value) => [value.name, getOption(value, json_word)] as const);
  const worded = pairs.filter(([, word]) => word !== "");
  if (worded.length === 0) return undefined;
  return {
    nameOf: new Map(worded.map(([name, word]) => [word, name])),
    wordOf: new Map(pairs.map(([name, word]) => [name, word || undefined])),
  };
}
