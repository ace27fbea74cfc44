import { open } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";

/**
 * What any collector must do: node:http, gunzip, JSON.parse, the batch on disk
 * before the answer. Batches that come while one write is synced share the
 * next. No checks of records, nothing loaded, nothing to ask.
 */
const file = await open(join(process.env["ENGAGE_DATA"] ?? ".", "floor.ndjson"), "a");
const reply = '{"code":0}';
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
    const body = gunzipSync(Buffer.concat(chunks));
    if (!Array.isArray(JSON.parse(body.toString()))) {
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
