import type { NodeRequest } from "../http/http.ts";

/**
 * Reads a short body; undefined if it is longer than the limit or is cut off. The rest of a longer one stays unread:
 * what sends the response deals with it.
 */
export function readText(request: NodeRequest, maxBytes: number): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const chunks: Buffer[] = [];
  let bytes = 0;
  const finish = (text: string | undefined): void => {
    request.off("data", onData).off("end", onEnd).off("error", onBreak).off("close", onBreak);
    resolve(text);
  };
  const onData = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (bytes > maxBytes) finish(undefined);
    else chunks.push(chunk);
  };
  const onEnd = (): void => finish(Buffer.concat(chunks).toString("utf8"));
  const onBreak = (): void => finish(undefined);
  request.on("data", onData).on("end", onEnd).on("error", onBreak).on("close", onBreak);
  return promise;
}
