import { connect } from "node:net";
import { expect, it, vi } from "vitest";
import { openHttpServer } from "../../services/webhook/targets/http-server.ts";
import { batchesOf, seeded } from "./batches.ts";
import { settledBooks } from "./books.ts";
import { configOf } from "./config.ts";
import { openEngage } from "./engage.ts";
import { createSender } from "./senders.ts";
import { openSqliteStore } from "./stores.ts";

const connections = 1_000;
const half = "POST /webhook/demo HTTP/1.1\r\nhost: a\r\n";
/** Where slow callers stop. */
const stops: readonly (readonly [name: string, sent: string])[] = [
  ["within the head", half],
  ["within the body", `${half}content-type: application/json\r\ncontent-length: 1000\r\n\r\n[`],
];

it.each(stops)(
  `${connections} callers that stop %s keep nobody else away, and are sent away`,
  async (_name, sent) => {
    await using store = await openSqliteStore();
    await using target = await openHttpServer();
    const limits = { headersTimeoutMs: 5_000, requestTimeoutMs: 5_000 };
    await using engage = await openEngage(store.folder, configOf(store, { target, limits }));
    const slow = Array.from({ length: connections }, () => connect(engage.port, "127.0.0.1"));
    let connected = 0;
    let closed = 0;
    for (const socket of slow) {
      socket.on("error", () => undefined).on("close", () => closed++);
      socket.on("connect", () => connected++).resume();
      socket.write(sent);
    }
    await vi.waitUntil(() => connected === connections, { timeout: 60_000 });
    using sender = createSender(engage);
    const batches = batchesOf(1_000, seeded(1));
    const answers = await Promise.all(batches.map((batch) => sender.send(batch)));
    expect(answers.map(({ status }) => status)).toEqual(batches.map(() => 200));
    expect(await settledBooks(engage)).toMatchObject({ accepted: 1_000, delivered: 1_000 });
    await vi.waitUntil(() => closed === connections, { timeout: 60_000 });
  },
);
