import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { signBody } from "../../../base/net/signature.ts";
import { now } from "../query-language/data.ts";

/** What differs between two runs of the same calls. */
export interface Run {
  /** The address of the server. */
  readonly url: string;
  /** When it began, in ms since 1970. */
  readonly startedMs: number;
  /** The secret of signatures. */
  readonly secret: string;
}

/** Replaces what differs between runs by values of the same form, the same value always by the same one. */
export function createStabilizer({ url, startedMs, secret }: Run): (value: JsonValue) => JsonValue {
  const uuidOf = createUuids();
  const stabilizeText = (text: string): string =>
    text
      .replaceAll(url, "http://127.0.0.1:8080")
      .replaceAll(uuid, uuidOf)
      .replaceAll(batchId, (_id, number: string) => batchIdOf(number))
      .replaceAll(parserLetterId, "parser.1in7c-gi6qkz.0.1g0gng7")
      .replaceAll(timestamp, (time) => timeOf(time, startedMs))
      .replaceAll(/\b\d+(?:\.\d+)? ms\b/g, "2 ms");
  const stabilizeMember = (name: string, value: JsonValue): JsonValue => {
    if (fixed[name] !== undefined) return fixed[name];
    return name === "value" && typeof value === "string" ? stabilizeLines(value) : stabilize(value);
  };
  const stabilize = (value: JsonValue): JsonValue => {
    if (typeof value === "string") return stabilizeText(value);
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.map(stabilize);
    if ("contentType" in value && typeof value["data"] === "string") {
      return { ...value, data: toBase64(stabilizeLines(fromBase64(value["data"]))) };
    }
    const members = Object.entries(value).map(([name, member]) => [name, stabilizeMember(name, member)]);
    return signAgain(Object.fromEntries(members), secret);
  };
  /** The lines of a stream are JSON. */
  const stabilizeLines = (text: string): string => {
    if (!text.startsWith("{") || !text.endsWith("}\n")) return stabilizeText(text);
    const lines = text.trimEnd().split("\n");
    return lines.map((line) => `${JSON.stringify(stabilize(JSON.parse(line) as JsonValue))}\n`).join("");
  };
  return stabilize;
}

/** Members that are measured or random. */
const fixed: Readonly<Record<string, JsonValue>> = {
  duration: "0.002s",
  durationMs: 2,
  freeBytes: "53687091200",
  leaseToken: Buffer.from('["2.kx9f2b7q1m","consumer",1,1772712000000,null]').toString("base64url"),
  nodeVersion: "v26.10.0",
  usedBytes: "40960",
};

const uuid = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;

function createUuids(): (id: string) => string {
  const known = new Map<string, string>();
  return (id) => {
    const digits = String(known.size + 1).padStart(2, "0");
    const found = known.get(id) ?? `6f1c2a${digits}-3b7e-4d90-a5c8-2e9f4b7d10${digits}`;
    known.set(id, found);
    return found;
  };
}

/** The ms since 1970 in base 36, and a number. */
const batchId = /\b0[a-z][0-9a-z]{7}(\d{8})\b/g;

function batchIdOf(number: string): string {
  return Date.parse(now).toString(36).padStart(9, "0") + number;
}

const parserLetterId = /\bparser\.[0-9a-z]+-[0-9a-z]+\.0\.[0-9a-z]+/g;

const timestamp = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;

const dayMs = 86_400_000;
/** A run takes less. */
const stepMs = 600_000;

/** Moves a time of the run to the time of the examples; all others stay. */
function timeOf(time: string, startedMs: number): string {
  const afterMs = Date.parse(time) - startedMs;
  if (Math.abs(afterMs) > dayMs) return time;
  const movedMs = Date.parse(now) + Math.round(afterMs / stepMs) * stepMs;
  return new Date(movedMs).toISOString().replace(".000Z", "Z");
}

/** A test of a channel returns a body with its signature. */
function signAgain(json: JsonObject, secret: string): JsonObject {
  const { requestBody: body, requestHeaders: headers, signature: given } = json;
  if (typeof body !== "string" || typeof given !== "string") return json;
  const signature = signBody(secret, Buffer.from(body));
  const signed = Object.entries(headers as JsonObject).map(([name, value]) => [
    name,
    name.endsWith("Signature") ? signature : value,
  ]);
  return { ...json, requestHeaders: Object.fromEntries(signed) as JsonObject, signature };
}

function toBase64(text: string): string {
  return Buffer.from(text).toString("base64");
}

function fromBase64(text: string): string {
  return Buffer.from(text, "base64").toString();
}
