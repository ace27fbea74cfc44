import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { holdServed } from "../../../../cmd/serve/backup/hold-socket.ts";
import { folderWith } from "../../config/load.ts";
import { openEventServer, trackOf } from "../../event-server.ts";
import { fill, makeFolder, messages, patience } from "./filled-server.ts";

describe("held files", () => {
  test("accept records, which are loaded after the release", async () => {
    const cwd = makeFolder();
    const server = await openEventServer(join(cwd, "data"), messages);
    await fill(server);
    const held = (await holdServed({ data: join(cwd, "data") }))!;
    expect(await server.send([trackOf("d")])).toBe('{"code":0}');
    expect(await server.times("login")).toBe(2);
    held.check();
    await held[Symbol.asyncDispose]();
    await vi.waitFor(async () => expect(await server.times("login")).toBe(3), patience);
  });

  test("are no longer held when the server ends", async () => {
    const data = folderWith({});
    const server = await openEventServer(data, messages);
    await fill(server);
    await using held = (await holdServed({ data }))!;
    await server.stop();
    await vi.waitFor(
      () => expect(held.check).toThrow("the server ended while its files were copied"),
      patience,
    );
    expect(await holdServed({ data })).toBeUndefined();
  });
});
