import { type DescEnum, type DescField, type DescMessage, getOption, type Message } from "@bufbuild/protobuf";
import { json_word } from "../../../gen/engage/gateway/v1/options_pb.ts";
import type { JsonTree } from "../controls/json-tree.ts";
import { listTree, numberTree, objectTree, textTree, wordTree } from "./tree.ts";

/** Writes a message in the REST form of a query, as `readMessage` reads it. Fields that are not set are left out. */
export function writeMessage(desc: DescMessage, message: Message): JsonTree {
  const values = message as unknown as Readonly<Record<string, unknown>>;
  return objectTree(
    desc.fields.flatMap((field) => {
      const value = values[field.localName];
      return isUnset(value) ? [] : [[field.jsonName, writeField(field, value)] as const];
    }),
  );
}

function isUnset(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return value === undefined || value === "" || value === 0 || value === 0n || value === false;
}

function writeField(field: DescField, value: unknown): JsonTree {
  return Array.isArray(value)
    ? listTree(value.map((item) => writeItem(field, item)))
    : writeItem(field, value);
}

function writeItem({ message, enum: words }: DescField, value: unknown): JsonTree {
  if (message !== undefined) return writeMessage(message, value as Message);
  if (words !== undefined) return textTree(wordOf(words, value as number));
  if (typeof value === "boolean") return wordTree(value);
  return typeof value === "string" ? textTree(value) : numberTree(String(value));
}

function wordOf(desc: DescEnum, number: number): string {
  const value = desc.value[number];
  return value === undefined ? "" : getOption(value, json_word);
}
