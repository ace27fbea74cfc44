import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { HttpResponse, NodeRequest } from "./http.ts";
import { varyWith } from "./http.ts";

const gzipAsync = promisify(gzip);
const brotliAsync = promisify(brotliCompress);
/** Brotli's default of 11 is for files that are compressed once: at 4 it is as fast as gzip. */
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

export type Encoding = "gzip" | "br";
type Compress = (body: string | Uint8Array, encoding: Encoding) => Promise<Uint8Array>;

const compressBody: Compress = (body, encoding) =>
  encoding === "gzip" ? gzipAsync(body) : brotliAsync(body, brotliOptions);

/** Compresses a body that does not change once for each encoding. */
export function compressOnce(): Compress {
  const known = new Map<Encoding, Promise<Uint8Array>>();
  return (body, encoding) => {
    const found = known.get(encoding) ?? compressBody(body, encoding);
    known.set(encoding, found);
    return found;
  };
}

/**
 * Compresses a response of at least `minBytes` when the caller's Accept-Encoding
 * names gzip or br; returns it as it is otherwise.
 */
export function compressResponse(
  response: HttpResponse,
  request: NodeRequest,
  minBytes: number,
  compress: Compress = compressBody,
): HttpResponse | Promise<HttpResponse> {
  if (isBelow(response.body, minBytes)) return response;
  const encoding = acceptedEncoding(request.headers["accept-encoding"]);
  const headers = { ...response.headers, vary: varyWith(request, "accept-encoding") };
  if (encoding === undefined) return { ...response, headers };
  return compress(response.body, encoding).then((body) => ({
    ...response,
    headers: { ...headers, "content-encoding": encoding },
    body,
  }));
}

/**
 * Returns whether a response is too short to be compressed. A UTF-16 unit is at most three bytes, so the bytes of short
 * texts are not counted.
 */
export function isBelow(body: string | Uint8Array, minBytes: number): boolean {
  return (typeof body === "string" && body.length * 3 < minBytes) || Buffer.byteLength(body) < minBytes;
}

/** Returns whether the caller accepts an encoding. */
export function accepts({ headers }: NodeRequest, encoding: Encoding): boolean {
  return acceptedEncodings(headers["accept-encoding"]).includes(encoding);
}

/** Returns the encoding of the response. */
function acceptedEncoding(header: string | string[] | undefined): Encoding | undefined {
  const accepted = acceptedEncodings(header);
  if (accepted.includes("gzip")) return "gzip";
  return accepted.includes("br") ? "br" : undefined;
}

/** An entry with `q=0` refuses one. */
function acceptedEncodings(header: string | string[] | undefined): readonly (string | undefined)[] {
  return String(header ?? "")
    .split(",")
    .map((entry) => entry.trim().toLowerCase())
    .filter((entry) => !/;\s*q=0(?:\.0*)?$/.test(entry))
    .map((entry) => entry.split(";")[0]);
}
