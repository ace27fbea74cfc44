import type { IncomingMessage } from "node:http";
import type { Http2ServerRequest } from "node:http2";
import { promisify } from "node:util";
import { brotliDecompress, gunzip } from "node:zlib";
import { Code, ConnectError } from "@connectrpc/connect";
import { messageTooLarge, refuse } from "./refusals.ts";

const inflaters = { gzip: promisify(gunzip), br: promisify(brotliDecompress) };

/**
 * Reads the body of a request, with its Content-Encoding (gzip, br) undone.
 * Stops at `maxBytes`, counted on the wire and again after inflating, with
 * RESOURCE_EXHAUSTED. `bytesRead` is told the size on the wire.
 */
export async function readBody(
  request: IncomingMessage | Http2ServerRequest,
  maxBytes: number,
  bytesRead: (bytes: number) => void,
): Promise<Buffer> {
  const encoding = request.headers["content-encoding"] ?? "identity";
  const declared = Number(request.headers["content-length"] ?? 0);
  if (declared > maxBytes) throw messageTooLarge(declared, maxBytes);
  const wire = await collect(request, maxBytes);
  bytesRead(wire.length);
  if (encoding === "identity") return wire;
  if (encoding !== "gzip" && encoding !== "br") {
    const message = `content-encoding "${encoding}" is not supported, valid are gzip, br, identity`;
    throw refuse("UNSUPPORTED_CONTENT_ENCODING", Code.Unimplemented, message);
  }
  try {
    return await inflaters[encoding](wire, { maxOutputLength: maxBytes });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE")
      throw messageTooLarge(undefined, maxBytes);
    throw new ConnectError(`the body is not valid ${encoding}`, Code.InvalidArgument);
  }
}

function collect(request: IncomingMessage | Http2ServerRequest, maxBytes: number): Promise<Buffer> {
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
    request.on("data", onData);
    request.once("end", () =>
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, bytes)),
    );
    const gone = (): void => reject(new ConnectError("the caller went away", Code.Canceled));
    request.once("error", gone);
    request.once("aborted", gone);
  });
}
