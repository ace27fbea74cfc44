import { request } from "node:http";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { createFileHolds } from "../../../../base/files/file-holds.ts";
import { holdServed, isServed, serveHolds } from "../../../../cmd/serve/backup/hold-socket.ts";
import { folderWith } from "../../config/load.ts";

/** A server whose only file is held or not, and which notes what it logs. */
async function openServer(maxHoldMs?: number) {
  const data = folderWith({});
  const state = { isHeld: false, holds: 0, lines: [] as string[] };
  const holds = createFileHolds();
  await holds.own(async () => ({
    async hold() {
      state.isHeld = true;
      state.holds++;
      return async () => {
        state.isHeld = false;
      };
    },
  }));
  const note = (first: unknown, text?: string): void => void state.lines.push(text ?? String(first));
  const server = await serveHolds({ data }, { holds, logger: { info: note, warn: note }, maxHoldMs });
  return { data, state, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

const begun = "files are held for a copy; records are accepted and not loaded meanwhile";
const patience = { timeout: 20_000 };

test("files are held until the copy ends, and both are logged", async () => {
  await using server = await openServer();
  const { data, state } = server;
  const held = (await holdServed({ data }))!;
  expect([state.isHeld, state.lines]).toEqual([true, [begun]]);
  held.check();
  await held[Symbol.asyncDispose]();
  await vi.waitFor(() => expect(state.lines).toEqual([begun, "files are no longer held"]), patience);
  expect(state.isHeld).toBe(false);
});

test("a copy that takes too long holds nothing any more, and learns so", async () => {
  await using server = await openServer(20);
  const { data, state } = server;
  await using held = (await holdServed({ data }))!;
  await vi.waitFor(() => expect(held.check).toThrow("the server stopped waiting"), patience);
  expect(state.isHeld).toBe(false);
  expect(state.lines).toEqual([begun, expect.stringContaining("their copy has not ended")]);
  await using next = (await holdServed({ data }))!;
  expect(next.check).not.toThrow();
});

test("a copy whose caller has left before it could begin is released", async () => {
  const data = folderWith({});
  const { promise: held, resolve: hold } = Promise.withResolvers<() => Promise<void>>();
  const asked = vi.fn(() => held);
  const released = vi.fn(async () => {});
  const logger = { info() {}, warn() {} };
  await using _server = await serveHolds({ data }, { holds: { hold: asked }, logger });
  const call = request({ socketPath: join(data, "backup.sock"), agent: false }).on("error", () => {});
  call.end();
  await vi.waitFor(() => expect(asked).toHaveBeenCalledOnce(), patience);
  call.destroy();
  hold(released);
  await vi.waitFor(() => expect(released).toHaveBeenCalledOnce(), patience);
});

test("asking whether a server runs holds nothing", async () => {
  const server = await openServer();
  const { data, state } = server;
  expect(await isServed({ data })).toBe(true);
  expect([state.holds, state.lines]).toEqual([0, []]);
  await server[Symbol.asyncDispose]();
  expect(await isServed({ data })).toBe(false);
});
