import { join } from "node:path";
import { collectPage } from "../../../console/src/rpc/collect-page.ts";
import { type Delivery, DeliveryState } from "../../../gen/engage/webhook/v1/delivery_pb.ts";
import { startService } from "../../analysis/service.ts";
import { encodeContent, openParseClient } from "../../harness/grpc-client.ts";
import { freePort, makeFolder, type Server } from "../../harness/processes.ts";
import { openClient, sendMessages, settleMost, settleSome, type Webhooks } from "../../webhook/fill.ts";
import { each, type GrowthPath, repeatedly, textOf } from "../measure.ts";

const messagesOfBatch = 20;
/** The smallest inbox has more dead deliveries. */
const pageSize = 40;
const stored = [1_000, 10_000, 100_000];

async function startInbox(): Promise<Server> {
  return await startService(await freePort(), join(makeFolder(), "data"), {
    webhook: {
      channels: { demo: { auth: "off", targets: ["queue"] } },
      targets: { queue: { kind: "pull" } },
    },
  });
}

async function listDead(client: Webhooks): Promise<void> {
  const page = await collectPage<Delivery>(pageSize, "", async (size, pageToken) => {
    const response = await client.listDeliveries({ state: DeliveryState.DEAD, pageSize: size, pageToken });
    return { rows: response.deliveries, nextToken: response.nextPageToken };
  });
  if (page.rows.length !== pageSize) throw new Error(`a page has ${page.rows.length} deliveries`);
}

/**
 * Starts a server for each size.
 * @param prepare fills the server, and returns what is measured
 */
function storedPath(
  name: string,
  start: (size: number) => Promise<Server>,
  prepare: (server: Server, size: number) => Promise<() => Promise<unknown>>,
): GrowthPath {
  return {
    name,
    sizes: stored,
    async open(sizes) {
      await using opened = new AsyncDisposableStack();
      const points = [];
      for (const size of sizes) {
        const server = opened.use(await start(size));
        const work = await prepare(server, size);
        const measure = repeatedly(
          server,
          each(async () => void (await work())),
        );
        points.push({ work: size, measure });
      }
      const stack = opened.move();
      return { points, [Symbol.asyncDispose]: () => stack.disposeAsync() };
    },
  };
}

/** Fills an inbox for each size. @param work what is measured */
function inboxPath(
  name: string,
  fill: (client: Webhooks, messages: number) => Promise<void>,
  work: (client: Webhooks) => Promise<void>,
): GrowthPath {
  return storedPath(name, startInbox, async ({ port }, size) => {
    const client = openClient(port);
    await sendMessages(client, size, messagesOfBatch);
    await fill(client, size);
    return () => work(client);
  });
}

const deliveries = inboxPath("deliveries-page", settleMost, listDead);

let batches = 0;

const backlog = inboxPath(
  "inbox-backlog",
  async () => {},
  async (client) => {
    const rawReceipt = new TextEncoder().encode(`{"ops_request_id":"next-${++batches}"}`);
    const messages = Array.from({ length: messagesOfBatch }, (_, at) => ({
      pushId: `user-${at}`,
      rawReceipt,
    }));
    await client.receive({ channel: "demo", messages });
    const settled = await settleSome(client, messagesOfBatch);
    if (settled !== messagesOfBatch) throw new Error(`${settled} messages were settled`);
  },
);

const letters = "filter.kind=DEAD_LETTER_KIND_PARSER";

/** Starts a server with lines that no format could read. */
async function startWithLetters(count: number): Promise<Server> {
  const server = await startService(await freePort(), join(makeFolder(), "data"), {
    parser: { framing: "lines", formats: [{ name: "app", index: "*", type: "json" }] },
  });
  using client = await openParseClient(server.port);
  for (let sent = 0; sent < count; sent += 1_000) {
    const lines = Array.from({ length: Math.min(1_000, count - sent) }, (_, at) => `not JSON: ${sent + at}`);
    await client.call(encodeContent(lines.join("\n")));
  }
  const kept = await countLetters(server);
  if (kept !== count) throw new Error(`${kept} of ${count} dead letters are kept`);
  return server;
}

/** Counts all, in as many calls as that takes. */
async function countLetters({ port }: Server): Promise<number> {
  let [count, token] = [0, ""];
  do {
    const url = `http://127.0.0.1:${port}/v1/dead-letters:count?${letters}&pageToken=${encodeURIComponent(token)}`;
    const page = JSON.parse(await textOf(await fetch(url))) as { count?: string; nextPageToken?: string };
    count += Number(page.count ?? 0);
    token = page.nextPageToken ?? "";
  } while (token !== "");
  return count;
}

async function listLetters({ port }: Server): Promise<void> {
  const url = `http://127.0.0.1:${port}/v1/dead-letters?${letters}&pageSize=${pageSize}`;
  await textOf(await fetch(url));
}

function lettersPath(name: string, work: (server: Server) => Promise<unknown>): GrowthPath {
  return storedPath(name, startWithLetters, async (server) => () => work(server));
}

export const storedPaths: readonly GrowthPath[] = [
  deliveries,
  backlog,
  lettersPath("dead-letters-page", listLetters),
  lettersPath("dead-letters-count", countLetters),
];
