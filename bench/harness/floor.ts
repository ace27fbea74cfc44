import { open } from "node:fs/promises";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { join } from "node:path";

/** How a floor handles a call. */
export interface Floor {
  /** Returns the bytes to write, or undefined for a body that is refused. @param body as received */
  readonly read: (body: Buffer, headers: IncomingHttpHeaders) => Buffer | undefined;
  readonly reply: string;
}

/**
 * Serves the minimum of any receiver: node:http, `read`, and the body synced to disk before the response. Bodies that
 * arrive during a sync share the next one.
 */
export async function serveFloor({ read, reply }: Floor): Promise<void> {
  const file = await open(join(process.env["ENGAGE_DATA"] ?? ".", "floor.ndjson"), "a");
  let waiting: { readonly body: Buffer; readonly done: () => void }[] = [];
  let isWriting = false;

  async function write(): Promise<void> {
    if (isWriting) return;
    isWriting = true;
    while (waiting.length > 0) {
      const group = waiting;
      waiting = [];
      await file.appendFile(Buffer.concat(group.flatMap(({ body }) => [body, Buffer.from("\n")])));
      await file.datasync();
      for (const { done } of group) done();
    }
    isWriting = false;
  }

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = read(Buffer.concat(chunks), request.headers);
      if (body === undefined) {
        response.writeHead(400).end();
        return;
      }
      const done = (): void => {
        response
          .writeHead(200, { "content-type": "application/json", "content-length": reply.length })
          .end(reply);
      };
      waiting.push({ body, done });
      void write();
    });
  });
  server.listen(Number(process.env["PORT"]), "127.0.0.1");
  process.once("SIGTERM", () => process.exit(0));
}
