import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { openForAll } from "../../open-for-all.ts";
import { type ChannelServerOptions, openChannelServer } from "../channel-server.ts";
import { runEngage, startEngage } from "../run-engage.ts";

async function openServer(options: ChannelServerOptions = {}) {
  const server = await openChannelServer({ files, ...options });
  const { cwd, url } = server;
  const push = (...args: readonly string[]) => runEngage(["push", ...args, "--url", url], { cwd });
  const begin = (...args: readonly string[]) => startEngage(["push", ...args, "--url", url], { cwd });
  return { ...server, push, begin };
}

const files = {
  "task.yaml": "contents: [{language: default, values: {title: Hello, count: 3}}]\nname: spring\n",
  "users.json": JSON.stringify({
    name: "levels",
    contents: [{ language: "default", values: { title: "Hi" } }],
    audience: {
      users: { filts: [{ columnName: "level", tableType: "user", comparator: "greater", ftv: [3] }] },
    },
  }),
  "words.yaml": "audience: {users: {filts: [{columnName: level, tableType: users}]}}\n",
  "wrong.yaml": "audience: {push_ids: {push_ids: ann}}\n",
  "unknown.yaml": "audiance: {push_ids: [ann]}\n",
  "listed.yaml": "audience: {push_ids: [ann]}\n",
  "ids.txt": "bob\nann\n\nbob\n",
};

/** Three batches, a second apart. */
const thirty = Array.from({ length: 30 }, (_, at) => `user-${at}`);

async function codeOf(child: ChildProcess): Promise<number | null> {
  const [code] = (await once(child, "close")) as [number | null];
  return code;
}

test("a task of flags and a file reaches the receiver, and can run again", async () => {
  const { push, seen } = await openServer();
  const first = await push("task.yaml", "--channel", "mail", "--to-file", "ids.txt", "--set", "title=Hi=1");
  expect(first.stderr).toMatch(/^t1_\S+ has started\n$/);
  expect(first.stdout.split("\n")).toEqual([
    expect.stringMatching(/^t1_\d{4}-\d\d-\d\d is done: 3 users, 1 without a push id of their own, 1 batch$/),
    "succeeded  2",
    "",
  ]);
  expect(first.code).toBe(0);
  const again = await push("--task", "t1", "--json");
  expect(JSON.parse(again.stdout)).toMatchObject({
    state: "TASK_STATE_DONE",
    statistics: { succeeded: "2" },
  });
  expect(seen).toMatchObject(
    [1, 2].map(() => ({
      signature: "matches",
      messages: [{ pushId: "bob", params: { title: "Hi=1", count: "3" } }, { pushId: "ann" }],
    })),
  );
});

test("the audience of a file is chosen in the platform's words", async () => {
  const { push } = await openServer();
  const { code, stdout, stderr } = await push("users.json", "--channel", "mail");
  // A push to no users fails.
  expect([code, stdout]).toEqual([1, expect.stringMatching(/^t1_\S+ is done: 0 users, 0 batches\n/)]);
  const warning = 'warning: audience.users.filts[0].column_name user property "level" is not known';
  expect(stderr).toContain(warning);
});

test("messages that fail are shown, and are the exit code", async () => {
  const { push } = await openServer({ fail: [2] });
  const { code, stdout } = await push("task.yaml", "--channel", "mail", "--to", "a", "b", "c");
  expect(code).toBe(1);
  expect(stdout.split("\n").slice(1)).toEqual([
    "succeeded  2",
    "failed     1: rejected",
    "",
    "PUSH ID  MESSAGE",
    expect.stringMatching(/^b {8}\S/),
    "",
  ]);
});

test("a receiver that fails leads to the batches, which say why", async () => {
  const { push, url, cwd } = await openServer({ status: 500 });
  const { code, stdout } = await push("task.yaml", "--channel", "mail", "--to", "a", "b");
  expect([code, stdout.split("\n").slice(1)]).toEqual([
    1,
    ["succeeded  0", "failed     2: http_status", "details    engage task batches t1", ""],
  ]);
  const batches = await runEngage(["task", "batches", "t1", "--url", url], { cwd });
  expect(batches.stdout).toMatch(/\n +0 +failed +2 +2 +1 +\S+ +http_status: HTTP 500\n$/);
});

test("a push that is watched no longer goes on, and can be watched again", async () => {
  const { begin, push, seen } = await openServer({ rate: 1 });
  const child = begin("--channel", "mail", "--set", "title=Hi", "--to", ...thirty);
  const [said] = (await once(child.stderr!, "data")) as [Buffer];
  expect(String(said)).toMatch(/^t1_\S+ has started\n$/);
  child.kill("SIGINT");
  const [stderr, code] = await Promise.all([text(child.stderr!), codeOf(child)]);
  expect([code, stderr]).toEqual([
    130,
    "engage: stopped; the push continues in the server: engage push --watch t1\n",
  ]);
  const watched = await push("--watch", "t1");
  expect([watched.code, watched.stdout]).toEqual([0, expect.stringContaining("30 users, 3 batches\n")]);
  expect(seen).toHaveLength(3);
});

test("a server that starts again is waited for", async () => {
  const { begin, restart, seen } = await openServer({ rate: 1 });
  const child = begin("--channel", "mail", "--set", "title=Hi", "--to", ...thirty);
  await once(child.stderr!, "data");
  const [stdout, code] = await Promise.all([text(child.stdout!), codeOf(child), restart()]);
  expect([code, stdout]).toEqual([0, expect.stringContaining("30 users, 3 batches")]);
  expect(seen).toHaveLength(3);
});

test("a channel goes by its name, also by one that looks like an id", async () => {
  const { push } = await openServer({ name: "c77" });
  const { code, stdout } = await push("--channel", "c77", "--set", "title=Hi", "--to", "ann", "--json");
  expect([code, JSON.parse(stdout)]).toEqual([
    0,
    expect.objectContaining({
      statistics: expect.objectContaining({ succeeded: "1", failed: [], retried: "0" }),
    }),
  ]);
});

const shared = openForAll((onEnd) => openServer({ onEnd }));

test.each([
  [["--channel", "letter", "--to", "a"], 1, 'channel "letter" is not known, valid are "mail"'],
  [["--to", "a"], 2, "a channel is required: --channel, or channel_id in the file"],
  [["none.yaml", "--channel", "mail"], 1, 'cannot read "none.yaml": no such file or folder'],
  [
    ["words.yaml", "--channel", "mail"],
    1,
    '"words.yaml": audience.users.filts[0].table_type is "users", the nearest is "user", valid are "event", "user", "cluster", ',
  ],
  [["wrong.yaml", "--channel", "mail"], 1, '"wrong.yaml" is not a task: audience.push_ids.push_ids'],
  [["unknown.yaml", "--channel", "mail"], 1, '"unknown.yaml" is not a task: '],
  [["listed.yaml", "--channel", "mail"], 1, 'values["title"] is required'],
  [["--task", "t1", "--watch", "t1"], 2, "cannot be used with option"],
  [["ids.txt", "--channel", "mail"], 1, '"ids.txt" is not a task: it must be an object'],
  [
    ["--channel", "mail", "--to", "a", "--set", "title"],
    2,
    '--set is "title", must be a pair such as "title=Hello"',
  ],
  [["--channel", "mail", "--to", "a"], 1, 'values["title"] is required'],
])("what is wrong with %j is said", async (args, wanted, message) => {
  const { code, stderr } = await shared().push(...args);
  expect([code, stderr]).toEqual([wanted, expect.stringContaining(message)]);
});
