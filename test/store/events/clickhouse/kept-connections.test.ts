import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { Readable } from "node:stream";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { Connection, type ConnectionOptions } from "../../../../store/events/clickhouse/connection.ts";

interface Received {
  readonly sql: string;
  /** The id of the statement. */
  readonly id: string;
  /** The number of its connection. The first one is kept. */
  readonly connection: number;
}

/** What a server does with a request. */
type Behaviour = "answer" | "close" | "answer a part" | "answer no HTTP" | "wait";

/** Opens a server, and a connection to it with a kept connection, which has sent one statement. */
async function open(
  behaviourOf: (received: Received) => Behaviour,
  options: Pick<ConnectionOptions, "maxSeconds"> = {},
) {
  const requests: Received[] = [];
  const sockets: Socket[] = [];
  let isFirst = true;
  const server = createServer(async (request, response) => {
    const { socket } = request;
    if (!sockets.includes(socket)) sockets.push(socket);
    const search = new URL(request.url!, "http://server").searchParams;
    const body = Buffer.concat(await request.toArray()).toString();
    const sql = search.get("query") ?? body;
    const received = { sql, id: search.get("query_id")!, connection: sockets.indexOf(socket) };
    const behaviour = isFirst ? "answer" : behaviourOf(received);
    if (!isFirst) requests.push(received);
    isFirst = false;
    if (behaviour === "answer") response.end("[1]\n");
    else if (behaviour !== "wait") socket.write(texts[behaviour], () => socket.resetAndDestroy());
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const shards = [`http://127.0.0.1:${port}`];
  const connection = new Connection({ shards, database: "d", user: "u", password: "", ...options });
  onTestFinished(async () => {
    await connection[Symbol.asyncDispose]();
    server.closeAllConnections();
    server.close();
  });
  await connection.command(0, { sql: "SELECT 0" });
  return { connection, requests, connections: () => requests.map((one) => one.connection) };
}

const texts = {
  close: "",
  "answer a part": "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n[1]",
  "answer no HTTP": "ready\r\n\r\n",
};
const closedWhenKept = ({ connection }: Received): Behaviour => (connection === 0 ? "close" : "answer");
const closed = "the connection was closed before the answer was complete";

const killOf = (id: string): string => `KILL QUERY WHERE startsWith(query_id, '${id}') SYNC`;

type Run = (connection: Connection, signal?: AbortSignal) => Promise<unknown>;
const sql = "SELECT 1";
const repeatable: readonly (readonly [what: string, run: Run, expected: unknown])[] = [
  ["a read", (connection, signal) => connection.rows(0, { sql, ...(signal && { signal }) }), [[1]]],
  [
    "a read of a session",
    (connection, signal) => connection.rows(0, { sql, session: "s", ...(signal && { signal }) }),
    [[1]],
  ],
  ["a command", (connection, signal) => connection.command(0, { sql, ...(signal && { signal }) }), undefined],
];

describe.each(repeatable)("%s", (_what, run, expected) => {
  it("goes over the kept connection", async () => {
    const { connection, connections } = await open(() => "answer");
    expect(await run(connection)).toEqual(expected);
    expect(connections()).toEqual([0]);
  });

  it("is sent again over a new connection when the server closes the kept one", async () => {
    const { connection, connections, requests } = await open(closedWhenKept);
    expect(await run(connection)).toEqual(expected);
    expect(connections()).toEqual([0, 1]);
    expect(requests[1]!.sql).toBe(requests[0]!.sql);
    // The first one may run in spite of all.
    expect(requests[1]!.id).toBe(`${requests[0]!.id}-2`);
  });

  it("is sent twice at most, and once over a new connection", async () => {
    const { connection, connections } = await open(() => "close");
    await expect(run(connection)).rejects.toThrow(closed);
    expect(connections()).toEqual([0, 1]);
    await expect(run(connection)).rejects.toThrow(closed);
    expect(connections()).toEqual([0, 1, 2]);
  });

  it("is sent once when a part of its response has come", async () => {
    const { connection, connections } = await open(() => "answer a part");
    await expect(run(connection)).rejects.toMatchObject({ name: "EventsUnavailableError" });
    expect(connections()).toEqual([0]);
  });

  it("is sent once when its response is not HTTP", async () => {
    const { connection, connections } = await open(() => "answer no HTTP");
    await expect(run(connection)).rejects.toMatchObject({ name: "EventsUnavailableError" });
    expect(connections()).toEqual([0]);
  });

  it("is sent once when the server closes the connection after it has worked for long", async () => {
    onTestFinished(() => void vi.useRealTimers());
    vi.useFakeTimers({ toFake: ["performance"] });
    const { connection, connections } = await open(() => {
      vi.advanceTimersByTime(3_001);
      return "close";
    });
    await expect(run(connection)).rejects.toThrow(closed);
    expect(connections()).toEqual([0]);
  });

  it("is sent once and killed when it is cancelled", async () => {
    const cancel = new AbortController();
    const { connection, connections, requests } = await open(({ connection }) => {
      if (connection === 0) cancel.abort(new Error("cancelled"));
      return connection === 0 ? "wait" : "answer";
    });
    await expect(run(connection, cancel.signal)).rejects.toThrow("cancelled");
    expect(connections()).toEqual([0, 1]);
    expect(requests[1]!.sql).toBe(killOf(requests[0]!.id));
  });

  it("is killed under both of its ids when it is cancelled after it was sent again", async () => {
    const cancel = new AbortController();
    const { connection, connections, requests } = await open(({ id, connection }) => {
      if (connection === 0) return "close";
      if (!id.endsWith("-2")) return "answer";
      cancel.abort(new Error("cancelled"));
      return "wait";
    });
    await expect(run(connection, cancel.signal)).rejects.toThrow("cancelled");
    expect(connections()).toEqual([0, 1, 2]);
    expect(requests[2]!.sql).toBe(killOf(requests[0]!.id));
  });
});

it("a statement is sent once when the server does not answer in time", async () => {
  // A response may take this and ten seconds.
  const { connection, connections, requests } = await open(
    ({ connection }) => (connection === 0 ? "wait" : "answer"),
    { maxSeconds: -9.5 },
  );
  await expect(connection.rows(0, { sql })).rejects.toThrow("Timeout error");
  expect(connections()).toEqual([0]);
  expect(requests).toHaveLength(1);
});

describe("an insert", () => {
  const insert: Run = (connection, signal) =>
    connection.insert(
      0,
      { sql: "INSERT", ...(signal && { signal }) },
      Readable.from(["1"], { objectMode: false }),
    );

  it("goes over a connection of its own, which is new", async () => {
    const { connection, connections } = await open(closedWhenKept);
    await insert(connection);
    await insert(connection);
    expect(connections()).toEqual([1, 2]);
  });

  it("is killed over a connection of its own", async () => {
    const cancel = new AbortController();
    const { connection, connections, requests } = await open(({ connection }) => {
      if (connection === 1) cancel.abort(new Error("cancelled"));
      return connection === 1 ? "wait" : "answer";
    });
    await expect(insert(connection, cancel.signal)).rejects.toThrow("cancelled");
    expect(connections()).toEqual([1, 2]);
    expect(requests[1]!.sql).toBe(killOf(requests[0]!.id));
  });

  it("is sent once", async () => {
    const { connection, connections } = await open(() => "close");
    await expect(insert(connection)).rejects.toThrow(closed);
    expect(connections()).toEqual([1]);
  });

  it("of a session goes over the kept connection, and is sent once", async () => {
    const { connection, connections } = await open(closedWhenKept);
    const rows = Readable.from(["1"], { objectMode: false });
    await expect(connection.insert(0, { sql: "INSERT", session: "s" }, rows)).rejects.toThrow(closed);
    expect(connections()).toEqual([0]);
  });
});

it("an insert whose end the server does not read leaves no connection open", async () => {
  const clients: Socket[] = [];
  const note = (message: unknown): void => void clients.push((message as { readonly socket: Socket }).socket);
  subscribe("net.client.socket", note);
  onTestFinished(() => void unsubscribe("net.client.socket", note));
  const server = createTcpServer((socket) => {
    onTestFinished(() => void socket.destroy());
    socket.once("readable", () => socket.write("HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n[1]\n"));
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const shards = [`http://127.0.0.1:${port}`];
  const connection = new Connection({ shards, database: "d", user: "u", password: "" });
  const rows = Readable.from(Array(512).fill(Buffer.alloc(65_536)), { objectMode: false });
  await connection.insert(0, { sql: "INSERT" }, rows);
  expect(clients.map(({ destroyed }) => destroyed)).toEqual([false]);
  await connection[Symbol.asyncDispose]();
  expect(clients.map(({ destroyed }) => destroyed)).toEqual([true]);
});
