import { createServer } from "node:http";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { create } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import { IngestRequestSchema } from "../../gen/engage/event/v1/ingest_pb.ts";
import { HttpBodySchema } from "../../gen/google/api/httpbody_pb.ts";
import { createEventCollector } from "../../services/event/event.ts";
import { openPostgresRecords } from "../../store/records/postgres/open.ts";
import { openRecordSpool, type RecordSpool } from "../../store/records/record-spool.ts";
import { createSegmentsThread } from "../../store/records/segments-thread.ts";

/**
 * Serves `/sync_server` with the service's collector over node:http, and with one of the spools: what is not loaded
 * takes no time. `SPOOL_URL` is a PostgreSQL; without it, the spool is files in `ENGAGE_DATA`.
 */
const { PORT, ENGAGE_DATA = ".", SPOOL_URL: url } = process.env;

async function openSpool(): Promise<RecordSpool> {
  if (url !== undefined) {
    const records = await openPostgresRecords({ url, schema: "bench" });
    return records.open({ project: 1, checksums: true });
  }
  const worker = new URL("../../cmd/serve/event/spool-worker.ts", import.meta.url);
  return openRecordSpool({
    folder: join(ENGAGE_DATA, "spool"),
    checksums: true,
    segments: createSegmentsThread((setup) => new Worker(worker, { workerData: setup })),
  });
}

const spool = await openSpool();
const collector = createEventCollector({
  projects: [{ id: 1, appids: ["bench"], zone: "+00:00" }],
  append: spool.append,
  now: Date.now,
  schema: () => ({ events: new Map(), properties: new Map() }) as never,
  pending: () => undefined,
  deadLetters: { append: () => {} },
  observer: { accepted: () => {}, refused: () => {}, dropped: () => {}, rejected: () => {} },
});
const context = { requestHeader: new Headers({ appid: "bench", compress: "gzip" }) } as HandlerContext;

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", async () => {
    const body = create(HttpBodySchema, { contentType: "application/json", data: Buffer.concat(chunks) });
    const { code } = await collector.ingest(create(IngestRequestSchema, { body }), context);
    const reply = `{"code":${code}}`;
    const head = { "content-type": "application/json", "content-length": reply.length };
    response.writeHead(200, head).end(reply);
  });
});
server.listen(Number(PORT), "127.0.0.1");
process.once("SIGTERM", () => process.exit(0));
