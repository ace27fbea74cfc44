import { isUtf8 } from "node:buffer";
import { BodyFault } from "./body-fault.ts";
import { inflateGzip, inflateSnappy } from "./inflate.ts";
import { countElements } from "./json-list.ts";
import { isObject, isShallow } from "./record/convert.ts";
import { show } from "./record/refusal.ts";

/** What a body holds, whatever form it came in. */
export interface IngestBody {
  /** One record or an array of them, as JSON in UTF-8. */
  readonly bytes: Uint8Array;
  /** Of records. */
  readonly count: number;
  /** Reads `bytes`. */
  readonly records: () => readonly unknown[];
  /** Said by the body itself: a parameter of its form, or `#app_id` beside `data`. */
  readonly appid: string | undefined;
  /** Other parameters of a form. */
  readonly parameters: URLSearchParams | undefined;
}

export interface BodyInput {
  readonly bytes: Uint8Array;
  readonly contentType: string;
  /** As the caller says; empty when it says nothing. */
  readonly compress: string;
  /** Of what the body becomes when it is inflated. */
  readonly maxBytes: number;
}

const notJson = "Data format error, not json format";
const formType = "application/x-www-form-urlencoded";
/** As many as one transaction of the loader takes. */
const maxRecords = 50_000;
/** Writing JSON needs stack for every level. */
const maxDepth = 64;

/** @throws BodyFault */
export async function readIngestBody(input: BodyInput): Promise<IngestBody> {
  const parameters = readForm(input);
  const data = parameters?.get("data");
  if (parameters !== undefined && data == null) throw new BodyFault("Data format error, no parameter data");
  const plain = await decode(data == null ? asBuffer(input.bytes) : Buffer.from(data), input);
  return unwrap(plain, parameters);
}

function readForm({ bytes, contentType }: BodyInput): URLSearchParams | undefined {
  const head = asBuffer(bytes).toString("latin1", 0, 6);
  const isForm = head.startsWith("&") || head.startsWith("data=") || head.startsWith("appid=");
  const type = contentType.split(";", 1)[0]!.trim().toLowerCase();
  // Some senders put JSON into a body that they call a form.
  const isNamedSo = type === formType && !isJson(asBuffer(bytes)) && !isGzip(asBuffer(bytes));
  return isForm || isNamedSo ? new URLSearchParams(asBuffer(bytes).toString()) : undefined;
}

/** Undoes base64 and compression, which the first bytes tell. */
async function decode(bytes: Buffer, { compress, maxBytes }: BodyInput): Promise<Buffer> {
  if (compress === "snappy") return inflateSnappy(bytes, maxBytes);
  if (compress !== "" && compress !== "none" && compress !== "gzip") {
    throw new BodyFault(`Data format error, compress ${show(compress)} is not gzip, snappy or none`);
  }
  if (isGzip(bytes)) return inflateGzip(bytes, maxBytes);
  if (isJson(bytes)) return withoutMark(bytes);
  // A plus sign in a form that nobody escaped is read as a blank.
  const inner = Buffer.from(bytes.toString("latin1").trim().replaceAll(" ", "+"), "base64");
  if (isGzip(inner)) return inflateGzip(inner, maxBytes);
  if (isJson(inner)) return withoutMark(inner);
  throw new BodyFault(compress === "gzip" ? "Data format error, not gzip" : notJson);
}

function isGzip(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

function isJson(bytes: Buffer): boolean {
  const first = /\S/.exec(withoutMark(bytes).toString("latin1", 0, 256))?.[0];
  return first === "[" || first === "{";
}

function withoutMark(bytes: Buffer): Buffer {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

/** Records are looked at by whoever needs them: most bodies are lists, of which the form is enough. */
function unwrap(bytes: Buffer, parameters: URLSearchParams | undefined): IngestBody {
  if (!isUtf8(bytes)) throw new BodyFault(notJson);
  const formAppid = parameters?.get("appid") ?? undefined;
  const elements = countElements(bytes);
  if (elements !== undefined) {
    const records = (): readonly unknown[] => parse(bytes) as readonly unknown[];
    return { bytes, count: checkCount(elements), records, appid: formAppid, parameters };
  }
  const json = parse(bytes);
  if (!isObject(json)) throw new BodyFault(notJson);
  const { data, "#app_id": appid } = json;
  if (!Array.isArray(data) || json["#type"] !== undefined) {
    return { bytes, count: 1, records: () => [json], appid: formAppid, parameters };
  }
  const count = checkCount(data.length);
  return {
    ...{ bytes: Buffer.from(writeJson(data)), count, records: () => data, parameters },
    appid: formAppid ?? (typeof appid === "string" ? appid : undefined),
  };
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    throw new BodyFault(notJson);
  }
}

function checkCount(records: number): number {
  if (records <= maxRecords) return records;
  throw new BodyFault(`Data format error, ${records} records, at most ${maxRecords} are taken`);
}

/** @throws BodyFault for what is nested too deeply to be written */
export function writeJson(json: unknown): string {
  if (!isShallow(json, maxDepth)) throw new BodyFault(`Data format error, more than ${maxDepth} levels`);
  return JSON.stringify(json);
}

function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);
}
