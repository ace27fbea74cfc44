import {
  create,
  type DescEnum,
  type DescField,
  type DescMessage,
  getOption,
  type Message,
  type MessageShape,
  ScalarType,
} from "@bufbuild/protobuf";
import { ValueFormatSchema } from "../../../gen/engage/analysis/v1/event_metric_pb.ts";
import { json_word } from "../../../gen/engage/gateway/v1/options_pb.ts";
import type { JsonTree } from "../controls/json-tree.ts";

/** What is wrong with a value, for a text about it. */
export interface ReadFault {
  /** Path by names of the REST form, as in the server's messages: `eventView.filts[0].ftv[1]`. */
  readonly field: string;
  readonly rule: "object" | "list" | "text" | "boolean" | "wholeNumber" | "number" | "word" | "scalar";
  readonly value: string;
  /** The words of the vocabulary, for the rule `word`. */
  readonly valid: readonly string[];
}

export interface ReadMessage<Desc extends DescMessage> {
  readonly message: MessageShape<Desc>;
  readonly faults: readonly ReadFault[];
  /** Paths of members without a field: they have no effect and stay in the JSON. */
  readonly ignored: readonly string[];
}

interface Reading {
  readonly faults: ReadFault[];
  readonly ignored: string[];
}

/**
 * Reads a message from the REST form of a query, as the server does: enums are words, null means not set, and literals
 * may be numbers, of which all digits count.
 */
export function readMessage<Desc extends DescMessage>(desc: Desc, tree: JsonTree): ReadMessage<Desc> {
  const reading: Reading = { faults: [], ignored: [] };
  const message = readObject(desc, tree, "", reading) ?? create(desc);
  return { message: message as MessageShape<Desc>, ...reading };
}

/** Returns the words of a vocabulary in their order. */
export function wordsOf(desc: DescEnum): readonly string[] {
  return desc.values.map((value) => getOption(value, json_word)).filter((word) => word !== "");
}

const isNull = (tree: JsonTree): boolean => tree.kind === "word" && tree.text === "null";

function readObject(desc: DescMessage, tree: JsonTree, path: string, reading: Reading): Message | undefined {
  if (tree.kind !== "object") return refuse("object", tree, path, reading);
  const message = create(desc) as Message & Record<string, unknown>;
  for (const [name, value] of tree.members) {
    const at = path === "" ? name : `${path}.${name}`;
    const field = desc.fields.find((one) => one.jsonName === name && one.name !== "ignored_fields");
    if (field === undefined) reading.ignored.push(at);
    else if (!isNull(value)) {
      const read = readField(field, value, at, reading);
      if (read !== undefined) message[field.localName] = read;
    }
  }
  return message;
}

function readField(field: DescField, tree: JsonTree, path: string, reading: Reading): unknown {
  if (field.fieldKind !== "list") return readItem(field, tree, path, reading);
  if (tree.kind !== "array") return refuse("list", tree, path, reading);
  return tree.elements
    .map((element, i) => readItem(field, element, `${path}[${i}]`, reading))
    .filter((item) => item !== undefined);
}

function readItem(field: DescField, tree: JsonTree, path: string, reading: Reading): unknown {
  if (field.message !== undefined) return readObject(field.message, tree, path, reading);
  if (field.enum !== undefined) return readWord(field.enum, tree, path, reading);
  return readScalar(field, tree, path, reading);
}

function readWord(desc: DescEnum, tree: JsonTree, path: string, reading: Reading): number | undefined {
  if (tree.kind === "string" && tree.text === "") return 0;
  // A format only says how numbers are written: its words are taken in any case, and others have no effect.
  const isLenient = desc.typeName === ValueFormatSchema.typeName;
  const text = tree.kind === "string" ? tree.text : undefined;
  const wanted = isLenient ? text?.toLowerCase() : text;
  const found = desc.values.find((value) => {
    const word = getOption(value, json_word);
    return word !== "" && word === wanted;
  });
  if (found !== undefined) return found.number;
  if (!isLenient) return refuse("word", tree, path, reading, wordsOf(desc));
  reading.ignored.push(path);
  return undefined;
}

const maxInt64 = 2n ** 63n - 1n;
const maxInt32 = 2 ** 31 - 1;

/** Texts for which the server also takes numbers and booleans. */
const looseTexts: ReadonlySet<string> = new Set(["analysis_params", "ftv", "params"]);

function readScalar(field: DescField, tree: JsonTree, path: string, reading: Reading): unknown {
  const text = tree.kind === "object" || tree.kind === "array" ? undefined : tree.text;
  switch (field.scalar) {
    case ScalarType.BOOL:
      return tree.kind === "word" ? tree.text === "true" : refuse("boolean", tree, path, reading);
    case ScalarType.INT64: {
      const id = text !== undefined && /^\d{1,19}$/.test(text) ? BigInt(text) : 0n;
      return id >= 1n && id <= maxInt64 ? id : refuse("wholeNumber", tree, path, reading);
    }
    case ScalarType.INT32: {
      const number = text !== undefined && /^[+-]?\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
      return Math.abs(number) <= maxInt32 ? number : refuse("wholeNumber", tree, path, reading);
    }
    case ScalarType.DOUBLE: {
      const number = text === undefined || text.trim() === "" ? Number.NaN : Number(text);
      return Number.isFinite(number) ? number : refuse("number", tree, path, reading);
    }
    default: {
      if (tree.kind === "string") return tree.text;
      if (text !== undefined && looseTexts.has(field.name)) return text;
      return refuse(looseTexts.has(field.name) ? "scalar" : "text", tree, path, reading);
    }
  }
}

const maxQuoted = 100;

function refuse(
  rule: ReadFault["rule"],
  tree: JsonTree,
  field: string,
  { faults }: Reading,
  valid: readonly string[] = [],
): undefined {
  const text = tree.kind === "object" ? "{…}" : tree.kind === "array" ? "[…]" : tree.text;
  const quoted = tree.kind === "string" ? JSON.stringify(text.slice(0, maxQuoted)) : text.slice(0, maxQuoted);
  faults.push({ field, rule, value: quoted, valid });
  return undefined;
}
