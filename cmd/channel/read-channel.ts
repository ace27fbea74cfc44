import { type DescField, type DescMessage, type JsonObject, ScalarType, toJson } from "@bufbuild/protobuf";
import { parse } from "yaml";
import { type Channel, ChannelSchema } from "../../gen/engage/channel/v1/channel_pb.ts";
import { secretOf } from "../client/receiver.ts";
import { splitPair } from "../client/set-texts.ts";
import type { ConfigPath } from "../config/problem.ts";
import { valueAt, withValue } from "../config/tree.ts";
import { decodeChannel, parseChannel } from "../serve/channel/channel-file.ts";
import { readInput } from "../terminal/read-input.ts";
import { UsageError } from "../terminal/user-error.ts";

/** The fields of a channel on the command line, which override those of the file. */
export interface ChannelOptions {
  readonly name?: string;
  readonly project?: number;
  /** The URL of the channel. `--url` is that of the server. */
  readonly receiver?: string;
  readonly pushIdProperty?: string;
  readonly secret?: string;
  readonly secretFile?: string;
  /** `field=value` of other fields, such as `delivery.batch_size=50`. */
  readonly set?: readonly string[];
}

interface Source {
  /** The path of a file, or `-` for standard input. */
  readonly file: string | undefined;
  /** The channel to change when there is no file. */
  readonly stored: Channel | undefined;
}

/** Reads the channel of a file, or a stored one, with the fields of the command line. @throws UserError */
export async function readChannel(
  { file, stored }: Source,
  options: ChannelOptions,
  stdin: NodeJS.ReadableStream,
): Promise<Channel> {
  const fields = fieldsOf(options);
  if (file === undefined && fields.length === 0)
    throw new UsageError("give a file, or fields such as --name and --set");
  const input = file === undefined ? undefined : await readInput(file, stdin);
  let json: unknown = input === undefined ? jsonOf(stored) : parseChannel(input.name, input.text);
  for (const [path, value] of fields) json = withValue(json, asWritten(ChannelSchema, json, path), value);
  return decodeChannel(input?.name ?? "the command line", json as JsonObject);
}

function jsonOf(stored: Channel | undefined): JsonObject {
  return stored === undefined
    ? {}
    : (toJson(ChannelSchema, stored, { useProtoFieldName: true }) as JsonObject);
}

type Field = readonly [path: ConfigPath, value: unknown];

function fieldsOf(options: ChannelOptions): readonly Field[] {
  const { name, project, receiver, pushIdProperty, set = [] } = options;
  const named: readonly Field[] = [
    [["name"], name],
    [["project_id"], project],
    [["url"], receiver],
    [["push_id_property"], pushIdProperty],
    [["authentication", "secret"], secretOf(options)],
  ];
  return [...named.filter(([, value]) => value !== undefined), ...set.map(readField)];
}

function readField(pair: string): Field {
  const [name, text] = splitPair("--set", pair, "delivery.batch_size=50");
  const path = name.split(".").map((key) => (/^\d{1,6}$/.test(key) ? Number(key) : key));
  return [path, isText(ChannelSchema, path) ? text : parseValue(text)];
}

/** Returns the path with the names that the tree has: each field has one with underscores and one without. */
function asWritten(schema: DescMessage | undefined, tree: unknown, [key, ...rest]: ConfigPath): ConfigPath {
  if (key === undefined) return [];
  if (typeof key === "number") return [key, ...asWritten(schema, valueAt(tree, [key]), rest)];
  const field = fieldOf(schema, key);
  const names = field === undefined ? [] : [field.name, field.jsonName];
  const name = names.find((one) => valueAt(tree, [one]) !== undefined) ?? key;
  return [name, ...asWritten(field && messageOf(field), valueAt(tree, [name]), rest)];
}

function fieldOf(schema: DescMessage | undefined, key: string): DescField | undefined {
  return schema?.fields.find(({ name, jsonName }) => name === key || jsonName === key);
}

function parseValue(text: string): unknown {
  try {
    return parse(text, { prettyErrors: false, logLevel: "error" });
  } catch {
    return text;
  }
}

/** Reports whether the field at a path is a text, which is taken as it is written. */
function isText(schema: DescMessage, path: ConfigPath): boolean {
  const [key, ...rest] = path.filter((one) => typeof one === "string");
  const field = fieldOf(schema, key ?? "");
  if (field === undefined) return false;
  const below = messageOf(field);
  if (rest.length > 0) return below !== undefined && isText(below, rest);
  const isItem = typeof path.at(-1) === "number";
  if (field.fieldKind === "list" && isItem) return field.scalar === ScalarType.STRING;
  return field.fieldKind === "scalar" && field.scalar === ScalarType.STRING;
}

function messageOf(field: DescField): DescMessage | undefined {
  return field.fieldKind === "message" || field.fieldKind === "list" ? field.message : undefined;
}
