import { asBuffer } from "../../../base/json/utf8.ts";
import { withoutByteOrderMark } from "../../../base/text/byte-order-mark.ts";
import { BodyFault } from "../ingest/body-fault.ts";
import { inflateGzip, inflateSnappy } from "../ingest/inflate.ts";
import { show } from "../record/record.ts";
import { type Fields, readForm } from "./form.ts";
import { boundaryOf, readMultipart } from "./multipart.ts";

/** The data of an SDK's request before it is inflated. */
export interface RequestData {
  /** One record, a list or an envelope, possibly compressed or in base64. */
  readonly data: Buffer;
  /** The parameters of a form; undefined if the body is the data itself. */
  readonly fields: Fields | undefined;
  /** The compression that the caller declares; empty if there is none. */
  readonly compress: string;
}

export interface RequestInput {
  readonly bytes: Uint8Array;
  readonly contentType: string;
  /** The query parameter `data`; empty without one. */
  readonly data: string;
  readonly compress: string;
}

export const notJson = "Data format error, not json format";
const formType = "application/x-www-form-urlencoded";

/** @throws BodyFault */
export function readRequestData({ bytes, contentType, data, compress }: RequestInput): RequestData {
  const body = asBuffer(bytes);
  if (body.length === 0 && data !== "") return { data: Buffer.from(data), fields: undefined, compress };
  const fields = readFields(body, contentType);
  const field = fields?.get("data");
  if (fields !== undefined && field === undefined)
    throw new BodyFault("Data format error, no parameter data");
  return { data: field ?? body, fields, compress };
}

function readFields(body: Buffer, contentType: string): Fields | undefined {
  const boundary = boundaryOf(contentType);
  if (boundary !== undefined && body.toString("latin1", 0, 4).includes("--"))
    return readMultipart(body, boundary);
  const head = body.toString("latin1", 0, 6);
  const isForm = head.startsWith("&") || head.startsWith("data=") || head.startsWith("appid=");
  const type = contentType.split(";", 1)[0]!.trim().toLowerCase();
  // Some senders declare JSON as a form.
  const isNamedSo = type === formType && !isJson(body) && !isGzip(body);
  return isForm || isNamedSo ? readForm(body) : undefined;
}

/** The JSON of a request. */
export interface Unpacked {
  readonly bytes: Buffer;
  /** Whether the bytes have a buffer of their own. */
  readonly hasOwnBuffer: boolean;
}

/** Decodes base64 and compression, detected by the first bytes. @throws BodyFault, also beyond `maxBytes` */
export async function unpack({ data, compress }: RequestData, maxBytes: number): Promise<Unpacked> {
  if (compress === "snappy") return toUnpacked(await inflateSnappy(data, maxBytes), false);
  if (compress !== "" && compress !== "none" && compress !== "gzip") {
    throw new BodyFault(`Data format error, compress ${show(compress)} is not gzip, snappy or none`);
  }
  const plain = isGzip(data) || isJson(data) ? data : fromBase64(data);
  if (isGzip(plain)) return toUnpacked(await inflateGzip(plain, maxBytes), true);
  if (isJson(plain)) return toUnpacked(plain, false);
  throw new BodyFault(compress === "gzip" ? "Data format error, not gzip" : notJson);
}

function toUnpacked(bytes: Buffer, hasOwnBuffer: boolean): Unpacked {
  return { bytes: withoutByteOrderMark(bytes), hasOwnBuffer };
}

/** Decodes base64. An unescaped plus sign of a form was decoded as a space. */
function fromBase64(data: Buffer): Buffer {
  return Buffer.from(data.toString("latin1").trim().replaceAll(" ", "+"), "base64");
}

function isGzip(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

function isJson(bytes: Buffer): boolean {
  const first = /\S/.exec(withoutByteOrderMark(bytes).toString("latin1", 0, 256))?.[0];
  return first === "[" || first === "{";
}
