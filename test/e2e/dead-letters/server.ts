import { appendFile, mkdir } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { encodeDeadLetter } from "../../../store/deadletters/deadletters.ts";
import { dataFolder, openWebhookServer } from "../../cmd/webhook-server.ts";
import type { OnEnd } from "../../open-for-all.ts";
import { openIngestServer } from "../../services/webhook/ingest-server.ts";

/** A receiver of messages that refuses them until it is told otherwise. */
async function openReceiver(onEnd: OnEnd) {
  const bodies: string[] = [];
  const receiver = { bodies, status: 400, port: 0 };
  const server = createServer(async (request, response) => {
    const text = (await request.toArray()).join("");
    if (receiver.status === 200) bodies.push(text);
    response.writeHead(receiver.status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  receiver.port = (server.address() as AddressInfo).port;
  onEnd(() => void server.close());
  return receiver;
}

/** Opens a server whose dead letters of each kind can be handed on. */
export async function openDeadLetterServer(onEnd: OnEnd) {
  const data = dataFolder(onEnd);
  const receiver = await openReceiver(onEnd);
  const ingest = await openIngestServer();
  onEnd(() => ingest[Symbol.asyncDispose]());
  const webhook = {
    targets: { pulled: { kind: "http", url: `http://127.0.0.1:${receiver.port}/` } },
    clicks: { forward: { url: ingest.url, appid: "APP_ID" } },
    outbound: { allow: [`127.0.0.1:${receiver.port}`, `127.0.0.1:${ingest.port}`] },
  };
  const settings = {
    projects: [{ id: 1, appids: ["app"] }],
    analysis: { tokens: [{ name: "t", token: "query-token", projects: "*" }] },
    events: { batch: { maxDelayMs: 20 }, spool: { minFreeBytes: 0 }, engine: { memoryBytes: 268_435_456 } },
    parser: { store: { project: 1 }, formats: [{ name: "r", index: "r", type: "pass_through" }] },
  };
  const server = await openWebhookServer(webhook, { data, settings, onEnd });
  return { ...server, receiver, ingest };
}

export type DeadLetterServer = Awaited<ReturnType<typeof openDeadLetterServer>>;

/** Adds a dead letter to a file of a data folder, as it was written before what refused it was corrected. */
export async function keep(
  data: string,
  file: string,
  index: string | undefined,
  reason: string,
  line: string,
): Promise<void> {
  const path = join(data, file);
  await mkdir(dirname(path), { recursive: true });
  const letter = { time: new Date(), source: "test", format: undefined, message: "no", index, reason, line };
  await appendFile(path, encodeDeadLetter(letter));
}

/** Returns the result of a query for the users with events. */
export async function storedUsers(url: string): Promise<string> {
  const query = {
    projectId: 1,
    useCache: false,
    eventView: {
      recentDay: "0-3",
      timeParticleSize: "total",
      groupBy: [{ columnName: "#account_id", tableType: "event" }],
    },
    events: [{ type: "normal", eventName: "login", analysis: "TOTAL_TIMES" }],
  };
  const headers = { "content-type": "application/json" };
  const init = { method: "POST", headers, body: JSON.stringify(query) };
  return (await fetch(`${url}/open/event-analyze?token=query-token`, init)).text();
}
