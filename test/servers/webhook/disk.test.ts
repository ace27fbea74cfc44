import { execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, it, vi } from "vitest";
import { openHttpServer } from "../../services/webhook/targets/http-server.ts";
import { mountSmallDisk } from "../inbox/small-disk.ts";
import { batchOf } from "./batches.ts";
import { readBooks, settledBooks } from "./books.ts";
import { configOf } from "./config.ts";
import { openEngage, serveCommand } from "./engage.ts";
import { type Answer, createSender, type Sender } from "./senders.ts";
import { openSqliteStore } from "./stores.ts";

const mib = 1_048_576;
const pushIds = ["a", "b"];
/** Makes a body of 400 kB, of which about 150 kB are stored, since it is compressed. */
const params = { text: randomBytes(150_000).toString("base64") };
const nobody = 65_534;

/** Sends batches until one is not accepted; resolves to how many were, and the refusal. */
async function sendUntilRefused(
  sender: Sender,
  prefix: string,
): Promise<{ accepted: number; refusal: Answer }> {
  for (let accepted = 0; ; accepted++) {
    const answer = await sender.send(batchOf(pushIds, `${prefix}-${accepted}`, params));
    if (answer.status !== 200) return { accepted, refusal: answer };
  }
}

const unavailable = { status: 503, headers: { "retry-after": expect.stringMatching(/^\d+$/) } };

it("has stored what it accepted when the disk gets full, and goes on when there is room again", async () => {
  using disk = mountSmallDisk(96 * mib);
  await using target = await openHttpServer();
  // Nothing leaves the inbox until the target is called for.
  await target.stop();
  const config = configOf({ inbox: { minFreeBytes: 8 * mib } }, { target });
  await using engage = await openEngage(disk.path, config);
  using sender = createSender(engage);
  const marked = await sendUntilRefused(sender, "mark");
  expect(marked.refusal).toMatchObject(unavailable);
  expect(marked.refusal.text).toContain("the inbox is full");
  expect(marked.accepted).toBeGreaterThan(20);
  expect(await readBooks(engage)).toMatchObject({ accepted: 2 * marked.accepted });
  // The mark is kept: the disk is not full.
  const freeKib = Number(
    execFileSync("df", ["--output=avail", disk.path], { encoding: "utf8" }).split("\n")[1],
  );
  expect(freeKib * 1024).toBeGreaterThan(8 * mib);
  disk.fill();
  // Free space is measured ten times a second, and a checkpoint gives back some, so a few batches may still be
  // accepted.
  let accepted = marked.accepted;
  for (let n = 0; n < 20; n++) {
    const full = await sendUntilRefused(sender, `full-${n}`);
    expect(full.refusal).toMatchObject(unavailable);
    accepted += full.accepted;
  }
  disk.free();
  await target.start();
  const stored = 2 * accepted;
  expect(await settledBooks(engage)).toMatchObject({ accepted: stored, dead: 0 });
  execFileSync("mount", ["-o", `remount,size=${128 * mib}`, disk.path]);
  await vi.waitFor(async () => {
    expect((await sender.send(batchOf(pushIds, "again", params))).status).toBe(200);
  });
  expect(await settledBooks(engage)).toMatchObject({ delivered: stored + 2 });
});

it("answers 503 and loses nothing while another program has filled the disk", async () => {
  using disk = mountSmallDisk(96 * mib);
  await using target = await openHttpServer();
  await using engage = await openEngage(disk.path, configOf({ inbox: {} }, { target }));
  using sender = createSender(engage);
  for (let n = 0; n < 10; n++) {
    expect((await sender.send(batchOf(pushIds, `before-${n}`, params))).status).toBe(200);
  }
  disk.fill();
  const { accepted, refusal } = await sendUntilRefused(sender, "full");
  expect(refusal).toMatchObject(unavailable);
  expect(await settledBooks(engage)).toMatchObject({ delivered: 2 * (10 + accepted) });
  disk.free();
  await vi.waitFor(async () => {
    expect((await sender.send(batchOf(pushIds, "again", params))).status).toBe(200);
  });
  await engage.kill();
  await engage.start();
  expect(await settledBooks(engage)).toMatchObject({ accepted: 2 * (11 + accepted), dead: 0 });
});

it("answers 503 while it can't write, and goes on when it can again", async () => {
  await using store = await openSqliteStore();
  await using target = await openHttpServer();
  const command = [process.execPath, join(import.meta.dirname, "limited-serve.ts"), "--config"];
  await using engage = await openEngage(store.folder, configOf(store, { target }), { command });
  using sender = createSender(engage);
  const limit = (bytes: string): void => {
    execFileSync("prlimit", ["--pid", `${engage.pid}`, `--fsize=${bytes}:unlimited`]);
  };
  expect((await sender.send(batchOf(pushIds, "before"))).status).toBe(200);
  await settledBooks(engage);
  // A disk can't be made read-only while files on it are open for writing. Beyond this size each write fails too.
  limit("4096");
  for (let n = 0; n < 20; n++)
    expect(await sender.send(batchOf(pushIds, `full-${n}`))).toMatchObject(unavailable);
  limit("unlimited");
  await vi.waitFor(async () => {
    expect((await sender.send(batchOf(pushIds, "again"))).status).toBe(200);
  });
  expect(await settledBooks(engage)).toMatchObject({ accepted: 4, delivered: 4 });
});

it("doesn't start on a folder that it can't write to, and says which", async () => {
  await using store = await openSqliteStore();
  await using target = await openHttpServer();
  const data = join(store.folder, "data");
  mkdirSync(data);
  chmodSync(store.folder, 0o755);
  chmodSync(data, 0o555);
  const file = join(store.folder, "engage.json");
  writeFileSync(file, JSON.stringify({ listen: "127.0.0.1:0", ...configOf(store, { target }), data }));
  const [program = "", ...args] = serveCommand;
  const child = spawn(program, [...args, file], { uid: nobody, gid: nobody, env: {}, cwd: "/" });
  const code = new Promise((resolve) => child.once("close", resolve));
  expect(await text(child.stderr)).toContain(data);
  expect(await code).toBe(1);
});
