import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { openSqliteInbox } from "../../../store/inbox/sqlite/open.ts";
import { folderWith } from "../../cmd/config/load.ts";
import { startEngage } from "../../cmd/run-engage.ts";
import { secret, webhookClient } from "../../cmd/webhook-server.ts";
import { batchOf } from "../../services/webhook/bodies.ts";
import { urlOf } from "../server-process.ts";

const settings = {
  listen: "127.0.0.1:0",
  data: "data",
  webhook: {
    channels: { demo: { secrets: [{ value: secret }], targets: ["saved", "pulled"] } },
    targets: { saved: { kind: "file", path: "saved.ndjson" }, pulled: { kind: "pull" } },
  },
};

async function start(cwd: string) {
  const child = startEngage(["serve"], { cwd });
  child.stderr!.resume();
  const client = webhookClient(await urlOf(child));
  const pid = child.pid!;
  const isQuiet = (): boolean => !threadsOf(pid).includes("engage-inbox");
  return {
    send: client.send,
    saved,
    /** Resolves when the inbox has no thread, after what a load balancer and Prometheus ask. */
    async untilQuiet(): Promise<void> {
      await vi.waitUntil(
        async () => {
          expect((await client.rest("/readyz")).status).toBe(200);
          expect((await client.rest("/metrics")).text).toContain("engage_webhook_inbox_writable 1\n");
          await saved();
          return isQuiet();
        },
        { timeout: 20_000, interval: 200 },
      );
    },
    async kill() {
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };

  async function saved(): Promise<unknown> {
    const { targets } = JSON.parse((await client.rest("/v1/webhook/stats")).text);
    return targets?.find(({ target }: { target: string }) => target === "saved")?.delivered;
  }
}

function threadsOf(pid: number): string[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((id) => {
    try {
      return [readFileSync(`/proc/${pid}/task/${id}/comm`, "utf8").trim()];
    } catch {
      return [];
    }
  });
}

it("a server whose inbox has no thread accepts and delivers, and loses nothing when it is killed", async () => {
  const cwd = folderWith({ "engage.yaml": JSON.stringify(settings) });
  const first = await start(cwd);
  const reply = await first.send(batchOf(["a"], "r-1"));
  expect(reply.status).toBe(200);
  await first.untilQuiet();
  expect(await first.saved()).toBe("1");
  await first.kill();

  const second = await start(cwd);
  await second.untilQuiet();
  expect((await second.send(batchOf(["a"], "r-1"))).text).toBe(reply.text);
  expect((await second.send(batchOf(["b"], "r-2"))).status).toBe(200);
  await vi.waitUntil(async () => (await second.saved()) === "2", { timeout: 20_000 });
  await second.kill();

  await using inbox = await openSqliteInbox({ path: join(cwd, "data/inbox/inbox.db"), reserveBytes: 0 });
  expect(await inbox.counts({ recount: true })).toMatchObject([
    { target: "pulled", accepted: 2, pending: 2 },
    { target: "saved", accepted: 2, delivered: 2, pending: 0 },
  ]);
});
