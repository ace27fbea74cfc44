import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { type DeleteEventsOptions, deleteEvents } from "../../../cmd/delete-events/delete-events.ts";
import { captureOutput } from "../captured-output.ts";
import { folderWith } from "../config/load.ts";
import { openEventServer, trackOf } from "../event-server.ts";

const patient = { timeout: 20_000, interval: 50 };

async function openFilled() {
  const cwd = folderWith({});
  const log = join(cwd, "engage.log");
  const logFd = openSync(log, "w");
  onTestFinished(() => closeSync(logFd));
  const server = await openEventServer(join(cwd, "data"), { log: { level: "warn" } }, { logFd });
  const day = { "#time": "2026-03-01 12:00:00" };
  await server.send([
    trackOf("ann", day),
    trackOf("bob", { ...day, "#event_name": "buy" }),
    trackOf("bob", { "#time": "2026-03-02 12:00:00" }),
  ]);
  const count = async () => {
    const { events } = JSON.parse(await server.get("/v1/projects/1/events?token=query-token")) as {
      events: { count: string }[];
    };
    return events.reduce((sum, one) => sum + Number(one.count), 0);
  };
  await vi.waitFor(async () => expect(await count()).toBe(3), patient);
  const run = async (options: Partial<DeleteEventsOptions>) => {
    const { streams, written } = captureOutput();
    const given = { project: 1, url: server.url, timeout: 60_000, ...options };
    await deleteEvents({ env: {}, cwd }, given, { ...streams, json: options.json });
    return written;
  };
  return { run, count, server, log };
}

it("counts events by name, deletes them and logs it", async () => {
  const { run, count, log } = await openFilled();
  expect(await run({ account: ["bob", "eve"], dryRun: true })).toEqual({
    stdout: "EVENT  COUNT\nlogin      1\nbuy        1\n",
    stderr: 'warning: not known are the users "eve"\n',
  });
  await expect(run({ account: ["bob"] })).rejects.toThrow(
    /^add --yes to delete 2 events of project 1 on http:\S+ for ever: standard input is no terminal$/,
  );
  expect(await count()).toBe(3);
  const deleted = await run({ account: ["bob"], yes: true, json: true });
  expect(JSON.parse(deleted.stdout)).toMatchObject({ count: "2", deleted: "2", unknownUsers: [] });
  expect(await count()).toBe(1);
  await vi.waitFor(() => {
    const lines = readFileSync(log, "utf8").trimEnd().split("\n");
    const found = lines.map((line) => JSON.parse(line) as { msg: string });
    expect(found).toContainEqual(
      expect.objectContaining({ msg: "events deleted", projectId: 1, users: 1, deleted: 2 }),
    );
  }, patient);
  expect((await run({ account: ["bob"] })).stdout).toBe("no events match\n");
  expect((await run({ all: true, yes: true })).stdout).toBe("EVENT  COUNT\nlogin      1\n1 event deleted\n");
});

it("needs a selection that the server knows", async () => {
  const { run, count } = await openFilled();
  await expect(run({})).rejects.toThrow(
    "select events by --event, --from, --to, --account, --visitor or --user",
  );
  await expect(run({ all: true, event: ["buy"] })).rejects.toThrow(
    "--all is for a project without a selection",
  );
  await expect(run({ user: ["x"] })).rejects.toThrow('--user is "x", must be a user id, a whole number');
  await expect(run({ event: ["logn"] })).rejects.toThrow('which is not known, the nearest is "login"');
  expect(await count()).toBe(3);
});
