import { Code, ConnectError } from "@connectrpc/connect";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { withClient } from "../../../cmd/client/rpc-client.ts";
import { previewMessage } from "../../../cmd/task/preview.ts";
import { readTask, type TaskOptions } from "../../../cmd/task/read-task.ts";
import {
  cancelTask,
  printBatches,
  printEstimate,
  printFunnels,
  printNewTask,
  printTask,
  printTasks,
  type TaskClient,
  withLatestTasks,
} from "../../../cmd/task/task.ts";
import type { MessageOutput } from "../../../cmd/terminal/messages.ts";
import { ChannelSender } from "../../../gen/engage/channel/v1/channel_sender_pb.ts";
import { openForAll } from "../../open-for-all.ts";
import { captureOutput } from "../captured-output.ts";
import { openChannelServer } from "../channel-server.ts";
import { runEngage } from "../run-engage.ts";

const shared = openForAll((onEnd) => openChannelServer({ onEnd, fail: [2] }));

/** Runs a command on the server and returns what it has written to standard output. */
async function run(
  work: (client: TaskClient, output: MessageOutput) => Promise<void>,
  json?: true,
): Promise<string> {
  const { streams, written } = captureOutput();
  const { url, cwd } = shared();
  await withClient(ChannelSender, { env: {}, cwd }, { url, timeout: 30_000 }, (client) =>
    work(client, { ...streams, json }),
  );
  return written.stdout;
}

const readOptions = (options: TaskOptions) => readTask(undefined, options, captureOutput().streams.stdin);

/** Creates a task to two users and returns its id. */
async function create(name: string, channel = "mail"): Promise<string> {
  const wanted = await readOptions({ name, channel, to: ["ann", "bob"], set: ["title=Hello"] });
  const stdout = await run((client, output) => printNewTask(client, wanted, output));
  const [, taskId] = /^(t\d+) is created: engage task run \1\n$/.exec(stdout)!;
  return taskId!;
}

it("a task is created, listed, run, shown and its failed batches are listed", async () => {
  const { url, cwd } = shared();
  const taskId = await create("spring");
  const drafts = await run((client, output) =>
    printTasks(client, { channel: "mail", state: ["draft"], limit: 10 }, output),
  );
  expect(drafts).toMatch(new RegExp(`\n${taskId} +c1 +draft +\\S+ \\S+ +spring\n`));
  const ran = await runEngage(["task", "run", taskId, "--url", url], { cwd });
  expect([ran.code, ran.stdout]).toEqual([1, expect.stringContaining("\nfailed     1: rejected\n")]);
  const watched = await runEngage(["task", "watch", taskId, "--json", "--url", url], { cwd });
  expect([watched.code, JSON.parse(watched.stdout)]).toEqual([
    1,
    expect.objectContaining({ taskId, state: "TASK_STATE_DONE" }),
  ]);
  const shown = parse(await run((client, output) => printTask(client, taskId, output))) as object;
  expect(shown).toMatchObject({
    task: { task_id: taskId, contents: [{ values: { title: { text: "Hello" } } }] },
    statistics: { succeeded: "1", failed: [{ reason: "rejected", count: "1" }] },
  });
  const batches = await run((client, output) =>
    printBatches(client, taskId, { failed: true, limit: 10 }, output),
  );
  expect(batches).toMatch(/^BATCH +STATE +MESSAGES +FAILED .*\n +0 +succeeded +2 +1 +1 /);
});

it("a funnel has the steps of the run with their shares", async () => {
  const taskId = await create("steps");
  const funnel = (json?: true) => run((client, output) => printFunnels(client, taskId, output), json);
  expect(await funnel()).toBe(`${taskId} has not run yet\n`);
  const { url, cwd } = shared();
  await runEngage(["task", "run", taskId, "--url", url], { cwd });
  expect(await funnel()).toMatch(
    /^PART +STEP +USERS +SHARE\nall +sent +2 +100\.00%\nall +succeeded +1 +50\.00%\n/,
  );
  expect(JSON.parse((await funnel(true)).split("\n")[0]!)).toMatchObject({
    steps: [{ name: "sent", users: "2" }, {}, {}],
  });
});

it("a task is cancelled once", async () => {
  const taskId = await create("ended");
  const cancel = () => run((client, output) => cancelTask(client, taskId, output));
  expect(await cancel()).toBe(`${taskId} is cancelled\n`);
  await expect(cancel()).rejects.toThrow(`task ${taskId} is cancelled and cannot be cancelled`);
});

it("an audience is counted and a message is written without a task", async () => {
  const wanted = await readOptions({ channel: "mail", to: ["ann", "bob", "ann"], set: ["title=Hello"] });
  const counts = await run((client, output) => printEstimate(client, wanted, output));
  expect(counts).toMatch(/^users {6}\d\nreachable {2}2\n$/);
  const message = await run((client, output) => previewMessage(client, wanted, { recipient: "ann" }, output));
  expect(JSON.parse(message)).toMatchObject({ push_id: "ann", params: { title: "Hello" } });
  const nobody = await readOptions({ channel: "mail" });
  await expect(run((client, output) => printEstimate(client, nobody, output))).rejects.toThrow(
    "an audience is required: --to, or audience in the file",
  );
  const nowhere = await readOptions({ to: ["ann"] });
  await expect(run((client, output) => printEstimate(client, nowhere, output))).rejects.toThrow(
    "a channel is required: --channel, or channel_id in the file",
  );
});

it("an unknown task is reported with those that exist", async () => {
  const taskId = await create("known");
  const fail = (given: string) =>
    run(async (client, output) => {
      try {
        await printTask(client, given, output);
      } catch (error) {
        throw await withLatestTasks(client, given, error);
      }
    });
  await expect(fail("t999")).rejects.toThrow(`task "t999" is not known, the latest are ${taskId} ("known")`);
  await expect(fail("known")).rejects.toThrow(`task "known" is not known, which is the name of "${taskId}"`);
});

it("an unknown task is reported without them where they cannot be listed", async () => {
  const client = {
    listTasks: () => Promise.reject(new ConnectError("the key may not list", Code.PermissionDenied)),
  } as unknown as TaskClient;
  const unknown = new ConnectError("task is not known", Code.NotFound);
  expect(await withLatestTasks(client, "t999", unknown)).toBe(unknown);
});
