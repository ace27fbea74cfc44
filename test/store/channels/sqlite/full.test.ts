import { statSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { ChannelsFullError, ChannelsUnavailableError } from "../../../../store/channels/channels.ts";
import { openSqliteChannels } from "../../../../store/channels/sqlite/open.ts";
import { bytes, leaseAll, preparedRun, succeeded } from "../../../conformance/channels/store.ts";
import { openTempFolder } from "../../inbox/temp-folder.ts";

const mib = 1_048_576;

it("refuses new work below the minimum of free space, continues the rest, and recovers", async () => {
  await using folder = await openTempFolder();
  const options = { path: join(folder.path, "channels.db"), minFreeBytes: 100 * mib, reserveBytes: 0 };
  const before = await openSqliteChannels(options);
  const { channelId, run } = await preparedRun(before, [["a"]]);
  await before[Symbol.asyncDispose]();
  let freeBytes = 100 * mib;
  await using store = await openSqliteChannels({ ...options, freeBytes: () => freeBytes });
  const rename = () => {
    return store.updateChannel(channelId, undefined, {
      name: "new",
      projectId: 1,
      definition: bytes("x"),
    });
  };
  const refused = rename();
  await expect(refused).rejects.toThrow(ChannelsFullError);
  await expect(refused).rejects.toThrow(ChannelsUnavailableError);
  await expect(refused).rejects.toThrow(`at least ${100 * mib} must stay`);
  const [batch] = await leaseAll(store, channelId);
  expect(await store.settleBatches([{ token: batch!.token, outcome: succeeded }])).toMatchObject([
    { kind: "settled" },
  ]);
  expect(await store.run(run.runId)).toMatchObject({ state: "done" });
  expect(await store.prune()).toMatchObject({ more: false });
  freeBytes = 1_000 * mib;
  await vi.waitFor(rename, { timeout: 10_000 });
  expect(await store.channel(channelId)).toMatchObject({ name: "new" });
});

it("keeps a reserve on the disk", async () => {
  await using folder = await openTempFolder();
  const path = join(folder.path, "channels.db");
  await using _store = await openSqliteChannels({ path, minFreeBytes: 0, reserveBytes: 2 * mib });
  expect(statSync(`${path}.reserve`).size).toBe(2 * mib);
});
