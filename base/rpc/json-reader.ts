import { create, type DescField, type DescMessage, type DescOneof } from "@bufbuild/protobuf";
import { BigNumber } from "../json/exact-numbers.ts";
import { quote, quoteText } from "../text/quote.ts";
import type { JsonReading } from "./json-reading.ts";

/** Reads one value; returns undefined after a fault, and for a value that counts as not set. */
export type ReadJson = (json: unknown, reading: JsonReading, depth: number) => unknown;

/** A form of JSON for messages: proto3 JSON, or how it differs. */
export interface JsonForm {
  /** Returns the names of a field in JSON, the usual one first; none for a field that can't be given. */
  namesOf(field: DescField): readonly string[];
  /** Returns the name of a field in the paths of faults. */
  pathNameOf(field: DescField): string;
  /** Returns the reader of a field's value, or of its elements; undefined for a message that is read by its fields. */
  elementReaderOf(field: DescField): ReadJson | undefined;
  /** Reports whether null is a value of the field. Otherwise null means that the field is not set. */
  takesNull(field: DescField): boolean;
  /** Describes the value of a field which is a list or a map, after "is not". */
  describeField(field: DescField): string;
  /** Returns the key of a map from its text; undefined for one of another type. */
  readKey?(field: DescField & { fieldKind: "map" }, text: string): string | undefined;
  /** Notes a member that has no field. */
  unknownMember(desc: DescMessage, key: string, reading: JsonReading): void;
}

/** Messages within each other, as in the other protocols. */
const maxDepth = 100;

type Target = Record<string, unknown>;
type Members = Readonly<Record<string, unknown>>;
type ReadMember = (target: Target, json: Members, key: string, reading: JsonReading, depth: number) => void;
type OneofValue = { readonly case: string | undefined };

/** Returns a function that compiles the reader of a message type, once. Its depth is 1 for a whole body. */
export function createJsonReaders(form: JsonForm): (desc: DescMessage) => ReadJson {
  const readers = new WeakMap<DescMessage, ReadJson>();
  return readerOf;

  function readerOf(desc: DescMessage): ReadJson {
    const known = readers.get(desc);
    if (known !== undefined) return known;
    const members = new Map<string, ReadMember>();
    const read: ReadJson = (json, reading, depth) => {
      if (depth > maxDepth) return reading.refuse(`is nested deeper than ${maxDepth} levels`);
      if (!isObject(json)) return reading.refuse(`${quote(json)} is not an object`);
      const message = create(desc);
      for (const key of Object.keys(json)) {
        const member = members.get(key);
        if (member === undefined) form.unknownMember(desc, key, reading);
        else member(message as unknown as Target, json, key, reading, depth);
        if (reading.count > 0 && reading.isFull) break;
      }
      return message;
    };
    // The reader is stored before its fields are compiled, since a message can contain its own type.
    readers.set(desc, read);
    for (const field of desc.fields) {
      const names = form.namesOf(field);
      const member = memberReader(field, names);
      for (const name of names) members.set(name, member);
    }
    return read;
  }

  function memberReader(field: DescField, [usualName = ""]: readonly string[]): ReadMember {
    const { localName, oneof } = field;
    const read = valueReader(field);
    const part = `.${form.pathNameOf(field)}`;
    const takesNull = form.takesNull(field);
    const skipsNull = oneof === undefined || field.fieldKind === "scalar";
    const others = oneof?.fields.filter((other) => other !== field) ?? [];
    return (target, json, key, reading, depth) => {
      if (key !== usualName && Object.hasOwn(json, usualName))
        return reading.refuse(`has a member twice, as ${usualName} and as ${key}`);
      const value = json[key];
      if (value === null && !takesNull && skipsNull) return;
      const isNull = value === null && !takesNull;
      if (oneof !== undefined && (isSet(target, oneof) || (isNull && isAnyGiven(form, others, json))))
        return reading.refuse(`has more than one of ${oneof.fields.map(({ name }) => name).join(", ")}`);
      if (isNull) return;
      const before = reading.count;
      const found = read(value, reading, depth);
      if (reading.count !== before) reading.within(before, part);
      if (found === undefined) return;
      target[oneof === undefined ? localName : oneof.localName] =
        oneof === undefined ? found : { case: localName, value: found };
    };
  }

  function valueReader(field: DescField): ReadJson {
    const element = form.elementReaderOf(field) ?? messageReader(field);
    if (field.fieldKind === "list") return listReader(form, field, element);
    return field.fieldKind === "map" ? mapReader(form, field, element) : element;
  }

  function messageReader({ message }: DescField): ReadJson {
    const read = readerOf(message as DescMessage);
    return (json, reading, depth) => read(json, reading, depth + 1);
  }
}

function listReader(form: JsonForm, field: DescField, element: ReadJson): ReadJson {
  return (json, reading, depth) => {
    if (!Array.isArray(json)) return reading.refuse(`${quote(json)} is not ${form.describeField(field)}`);
    const items: unknown[] = [];
    for (let i = 0; i < json.length; i++) {
      const before = reading.count;
      const item = element(json[i], reading, depth);
      if (item !== undefined) items.push(item);
      if (reading.count === before) continue;
      reading.within(before, `[${i}]`);
      if (reading.isFull) break;
    }
    return items;
  };
}

function mapReader(form: JsonForm, field: DescField & { fieldKind: "map" }, element: ReadJson): ReadJson {
  return (json, reading, depth) => {
    if (!isObject(json)) return reading.refuse(`${quote(json)} is not ${form.describeField(field)}`);
    const map: Target = {};
    for (const text of Object.keys(json)) {
      if (reading.isFull) break;
      const before = reading.count;
      const key = form.readKey?.(field, text) ?? reading.refuse("the key is not of its type");
      const item = element(json[text], reading, depth);
      if (reading.count !== before) reading.within(before, `[${quoteText(text)}]`);
      else if (key !== undefined) setOwn(map, key, item);
    }
    return map;
  };
}

/** Reports whether one of these members of a oneof is given. */
function isAnyGiven(form: JsonForm, fields: readonly DescField[], json: Members): boolean {
  return fields.some((field) => form.namesOf(field).some((name) => (json[name] ?? null) !== null));
}

function isSet(target: Target, { localName }: DescOneof): boolean {
  return (target[localName] as OneofValue).case !== undefined;
}

/** Assigning to "__proto__" would set the prototype. */
function setOwn(target: Target, key: string, value: unknown): void {
  if (key !== "__proto__") target[key] = value;
  else Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
}

function isObject(json: unknown): json is Members {
  return typeof json === "object" && json !== null && !Array.isArray(json) && !(json instanceof BigNumber);
}
