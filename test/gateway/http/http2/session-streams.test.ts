import { once } from "node:events";
import { connect, createServer, type ServerHttp2Session } from "node:http2";
import type { AddressInfo } from "node:net";
import fc from "fast-check";
import { expect, it } from "vitest";
import { StreamTable, useStreamTable } from "../../../../gateway/http/http2/session-streams.ts";
import { casesOf } from "../../../thorough.ts";

type Table = Map<number, object>;
type Step = (table: Table) => unknown;

const ids = fc.oneof(fc.integer({ max: 40, min: 0 }), fc.nat(4_096)).map((n) => 2 * n + 1);
const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 60,
    arbitrary: ids.map(
      (id): Step =>
        (
          (stream) => (table) =>
            table.set(id, stream).size
        )({ id }),
    ),
  },
  {
    weight: 30,
    arbitrary: ids.map(
      (id): Step =>
        (table) =>
          table.delete(id),
    ),
  },
  {
    weight: 20,
    arbitrary: ids.map(
      (id): Step =>
        (table) =>
          table.get(id),
    ),
  },
  {
    weight: 5,
    arbitrary: ids.map(
      (id): Step =>
        (table) => [table.has(id), table.size],
    ),
  },
  { weight: 1, arbitrary: fc.constant<Step>((table) => table.clear()) },
);

const byId = ([a]: [number, object], [b]: [number, object]): number => a - b;

it("holds what a map holds", () => {
  fc.assert(
    fc.property(fc.array(steps, { maxLength: 900, size: "max" }), (all) => {
      const table: Table = new StreamTable();
      const map: Table = new Map();
      for (const step of all) expect(step(table)).toEqual(step(map));
      const visited: [number, object][] = [];
      table.forEach((stream, id) => {
        visited.push([id, stream]);
      });
      expect(visited.sort(byId)).toEqual([...map].sort(byId));
      expect([...table].sort(byId)).toEqual([...map].sort(byId));
      expect(new Set(table.keys())).toEqual(new Set(map.keys()));
      expect(new Set(table.values())).toEqual(new Set(map.values()));
    }),
    { numRuns: casesOf(100) },
  );
});

it("takes the place of the map of a new session, in this version of Node", async () => {
  const server = createServer();
  const replaced = new Promise<[boolean, boolean]>((resolve) => {
    server.on("session", (session: ServerHttp2Session) => {
      const first = useStreamTable(session);
      session.once("stream", (stream) => {
        // The open stream is in it.
        resolve([first, useStreamTable(session)]);
        stream.respond({ ":status": 204 }, { endStream: true });
      });
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const request = client.request({ ":path": "/" });
  expect(await replaced).toEqual([true, false]);
  request.resume();
  await once(request, "close");
  client.close();
  server.close();
  await once(server, "close");
});
