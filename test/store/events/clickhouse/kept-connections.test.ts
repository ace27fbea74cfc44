import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { Readable } from "node:stream";
import { describe, expect, it, onTestFinished } from "vitest";
import { Connection } from "../../../../store/events/clickhouse/connection.ts";

interface Received {
  readonly sql: string;
  /** The id of the statement. */
  readonly id: string;
  /** The number of its connection. The first one is kept. */
  readonly connection: number;
}

/** What a server does with a request. */
type Behaviour = "answer" | "close" | "answer a part";

/** Opens a server, and a connection to it with a kept connection, which has sent one statement. */
async function open(behaviourOf: (received: Received) => Behaviour) {
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
    else socket.write(behaviour === "close" ? "" : partOfResponse, () => socket.resetAndDestroy());
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const shards = [`http://127.0.0.1:${port}`];
  const connection = new Connection({ shards, database: "d", user: "u", password: "" });
  onTestFinished(async () => {
    await connection[Symbol.asyncDispose]();
    server.closeAllConnections();
    server.close();
  });
  await connection.command(0, { sql: "SELECT 0" });
  return { connection, requests, connections: () => requests.map((one) => one.connection) };
}

const partOfResponse = "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n[1]";
const closedWhenKept = ({ connection }: Received): Behaviour => (connection === 0 ? "close" : "answer");
const closed = "the connection was closed before the answer was complete";

type Run = (connection: Connection) => Promise<unknown>;
const sql = "SELECT 1";
const repeatable: readonly (readonly [what: string, run: Run, expected: unknown])[] = [
  ["a read", (connection) => connection.rows(0, { sql }), [[1]]],
  ["a read of a session", (connection) => connection.rows(0, { sql, session: "s" }), [[1]]],
  ["a command", (connection) => connection.command(0, { sql }), undefined],
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
});

describe("an insert", () => {
  const insert: Run = (connection) =>
    connection.insert(0, { sql: "INSERT" }, Readable.from(["1"], { objectMode: false }));

  it("goes over a connection of its own, which is new", async () => {
    const { connection, connections } = await open(closedWhenKept);
    await insert(connection);
    await insert(connection);
    expect(connections()).toEqual([1, 2]);
  });

  it("is sent once", async () => {
    const { connection, connections } = await open(() => "close");
    await expect(insert(connection)).rejects.toThrow(closed);
    expect(connections()).toEqual([1]);
  });
});
