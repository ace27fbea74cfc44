import { Readable } from "node:stream";
import { Code } from "@connectrpc/connect";
import fc from "fast-check";
import { expect, test } from "vitest";
import { joinBody, joinMessages } from "../../../gateway/adapter/join-messages.ts";
import { Address, Connection } from "../../../gateway/http/connections.ts";
import { OpenBytes } from "../../../gateway/http/open-bytes.ts";
import { defaultLimits } from "../../../gateway/limits.ts";
import { envelope } from "../../e2e/raw.ts";

const connection = new Connection(new Address("a", false), undefined, 0);
const openHold = () => new OpenBytes(defaultLimits).openBody(connection, { cut: () => undefined });

async function* inPieces(bytes: Buffer, cuts: readonly number[]): AsyncGenerator<Uint8Array> {
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  for (let i = 1; i < places.length; i++) yield bytes.subarray(places[i - 1], places[i]);
}

const collect = (pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> => Readable.from(pieces).toArray();

const messages = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 8 });
const cuts = fc.array(fc.nat(), { maxLength: 60 });

test("messages come whole, however they are cut", async () => {
  await fc.assert(
    fc.asyncProperty(messages, cuts, async (payloads, places) => {
      const hold = openHold();
      const bytes = Buffer.concat(payloads.map((payload) => envelope(payload)));
      const pieces = await collect(joinMessages(inPieces(bytes, places), 40, hold, 1));
      expect(Buffer.concat(pieces)).toEqual(bytes);
      for (const piece of pieces) {
        let at = 0;
        while (at < piece.length) at += 5 + Buffer.from(piece).readUInt32BE(at + 1);
        expect(at).toBe(piece.length);
      }
      expect([hold.bytes, hold.connection.bytes]).toEqual([0, 0]);
    }),
  );
});

test("messages before one with unknown flags come, however they are cut", async () => {
  await fc.assert(
    fc.asyncProperty(messages, cuts, fc.integer({ min: 2, max: 255 }), async (payloads, places, flags) => {
      const known = Buffer.concat(payloads.map((payload) => envelope(payload)));
      const bytes = Buffer.concat([known, envelope(Buffer.from("x"), flags)]);
      const pieces: Uint8Array[] = [];
      const reading = (async () => {
        for await (const piece of joinMessages(inPieces(bytes, places), 40, openHold(), 1))
          pieces.push(piece);
      })();
      await expect(reading).rejects.toMatchObject({ code: Code.Internal });
      expect(Buffer.concat(pieces)).toEqual(known);
    }),
  );
});

test("one that is too large, and one that is not whole, go on for Connect to refuse", async () => {
  const large = envelope(Buffer.alloc(41));
  const sent = await collect(joinMessages(inPieces(large, [5, 6, 7]), 40, openHold(), 1));
  expect(Buffer.concat(sent.slice(0, 1))).toEqual(large.subarray(0, 5));
  const half = envelope(Buffer.alloc(30)).subarray(0, 20);
  expect(Buffer.concat(await collect(joinMessages(inPieces(half, [1]), 40, openHold(), 1)))).toEqual(half);
});

test("a body comes in one piece", async () => {
  const bytes = Buffer.from("0123456789");
  expect(await collect(joinBody(inPieces(bytes, [1, 2, 3]), 10, openHold()))).toEqual([bytes]);
  const more = await collect(joinBody(inPieces(bytes, [1, 2, 3]), 9, openHold()));
  expect(Buffer.concat(more)).toEqual(bytes);
});
