import type { IncomingMessage } from "node:http";
import type { Http2ServerRequest } from "node:http2";
import { promisify } from "node:util";
import { brotliDecompress, gunzip } from "node:zlib";
import { Code, ConnectError } from "@connectrpc/connect";
import { quoteText } from "./quote.ts";
import { messageTooLarge, refuse } from "./refusals.ts";

const inflaters = { gzip: promisify(gunzip), br: promisify(brotliDecompress) };

/**
 * Reads the body of a request, with its Content-Encoding (gzip, br) undone.
 * Stops at `maxBytes`, counted on the wire and again after inflating, with
 * RESOURCE_EXHAUSTED. `bytesRead` is told the size on the wire.
 */
export function readBody(
  request: IncomingMessage | Http2ServerRequest,
  maxBytes: number,
  bytesRead: (bytes: number) => void,
): Promise<Buffer> {
  const { headers } = request;
  const encoding = headers["content-encoding"] ?? "identity";
  const declared = Number(headers["content-length"] ?? 0);
  if (declared > maxBytes) return Promise.reject(messageTooLarge(declared, maxBytes));
  const wire = collect(request, maxBytes, bytesRead);
  return encoding === "identity" ? wire : inflate(wire, encoding, maxBytes);
}

async function inflate(wire: Promise<Buffer>, encoding: string, maxBytes: number): Promise<Buffer> {
  const bytes = await wire;
  if (encoding !== "gzip" && encoding !== "br") {
    const message = `content-encoding ${quoteText(encoding)} is not supported, valid are gzip, br, identity`;
    throw refuse("UNSUPPORTED_CONTENT_ENCODING", Code.Unimplemented, message);
  }
  try {
    return await inflaters[encoding](bytes, { maxOutputLength: maxBytes });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE")
      throw messageTooLarge(undefined, maxBytes);
    throw new ConnectError(`the body is not valid ${encoding}`, Code.InvalidArgument);
  }
}

function collect(
  request: IncomingMessage | Http2ServerRequest,
  maxBytes: number,
  bytesRead: (bytes: number) => void,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const onData = (chunk: Buffer): void => {
      bytes += chunk.length;
      if (bytes > maxBytes) {
        request.off("data", onData);
        reject(messageTooLarge(undefined, maxBytes));
      } else chunks.push(chunk);
    };
    const gone = (): void => reject(new ConnectError("the caller went away", Code.Canceled));
    request.on("data", onData);
    request.on("end", () => {
      bytesRead(bytes);
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, bytes));
    });
    request.on("error", gone);
    // On HTTP/1.1 it is an error too.
    if (request.httpVersionMajor === 2) request.on("aborted", gone);
  });
}
