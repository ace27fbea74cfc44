import { statSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readServed, serveContents } from "../../../../cmd/serve/move/contents-socket.ts";
import { type ContentsReader, PartChangedError, type StoredPart } from "../../../../store/events/contents.ts";
import { folderWith } from "../../config/load.ts";

const part: StoredPart = {
  projectId: 1,
  kind: "day",
  name: "day 2026-01-01",
  stamp: "0 2",
  rows: 2,
  day: 20_454,
  properties: [1, 2],
};
const never = new AbortController().signal;

/** Serves a store in a data folder of its own. */
async function serve(reader: Partial<ContentsReader>) {
  const data = folderWith({});
  await mkdir(join(data, "events"));
  const served = await serveContents({ data }, async () => reader as ContentsReader);
  return { data, served, [Symbol.asyncDispose]: () => served[Symbol.asyncDispose]() };
}

async function linesOf(lines: AsyncIterable<readonly string[]>): Promise<string[]> {
  const all: string[] = [];
  for await (const some of lines) all.push(...some);
  return all;
}

it("passes the contents and the lines of parts on, to this user only", async () => {
  const given = Array.from({ length: 2_500 }, (_, at) => JSON.stringify({ u: at, text: "ä\u2028\\n" }));
  const asked: StoredPart[] = [];
  await using place = await serve({
    contents: async () => [{ projectId: 1, events: [], properties: [], parts: [part] }],
    async *readPart(wanted) {
      asked.push(wanted);
      yield given.slice(0, 1_000);
      yield [];
      yield given.slice(1_000);
    },
  });
  const reader = readServed(place);
  expect(await reader.contents()).toEqual([{ projectId: 1, events: [], properties: [], parts: [part] }]);
  expect(await linesOf(reader.readPart(part, never))).toEqual(given);
  expect(asked).toEqual([part]);
  expect(statSync(join(place.data, "events", "contents.sock")).mode & 0o777).toBe(0o600);
});

it("passes on that a part has changed", async () => {
  await using place = await serve({
    // biome-ignore lint/correctness/useYield: it fails before the first line
    async *readPart() {
      throw new PartChangedError("day 2026-01-01 has changed");
    },
  });
  const lines = linesOf(readServed(place).readPart(part, never));
  await expect(lines).rejects.toThrow(new PartChangedError("day 2026-01-01 has changed"));
});

it("never takes a part of the lines for all of them", async () => {
  await using place = await serve({
    async *readPart() {
      yield ["{}"];
      throw new Error("the disk fails");
    },
  });
  await expect(linesOf(readServed(place).readPart(part, never))).rejects.toThrow();
});

it("ends the read on the server when its reader leaves", async () => {
  const ended = Promise.withResolvers<void>();
  await using place = await serve({
    async *readPart(_part, signal) {
      signal.addEventListener("abort", () => ended.resolve());
      for (;;) yield Array.from({ length: 1_000 }, () => "x".repeat(100));
    },
  });
  const leaving = new AbortController();
  const lines = readServed(place).readPart(part, leaving.signal)[Symbol.asyncIterator]();
  await lines.next();
  leaving.abort(new Error("gone"));
  await ended.promise;
  await expect(linesOf({ [Symbol.asyncIterator]: () => lines })).rejects.toThrow();
});

it("names what to do when no server listens, and when the path is too long", async () => {
  const { data, served } = await serve({});
  await served[Symbol.asyncDispose]();
  await expect(readServed({ data }).contents()).rejects.toThrow(
    "the store of the running server cannot be read",
  );
  const long = `/${"long/".repeat(20)}`;
  expect(() => readServed({ data: long })).toThrow("is too long for a socket, so stop the server first");
  await using _nothing = await serveContents({ data: long }, () => Promise.reject(new Error("unused")));
});
