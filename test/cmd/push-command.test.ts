import { expect, onTestFinished, test } from "vitest";
import { loadConfig } from "../../cmd/config.ts";
import { startServer } from "../../cmd/server.ts";
import { folderWith } from "./config/load.ts";
import { listen, secret } from "./listener.ts";
import { runEngage } from "./run-engage.ts";

/** A server with a channel `mail` to a receiver that names these elements of each batch as failed. */
async function openServer(fail: readonly number[] = []) {
  const answer = { fail, returnCode: 0, status: 200, isEmpty: false };
  const receiver = await listen({ answer });
  const cwd = folderWith({
    "engage.yaml": JSON.stringify({
      ...{ listen: "127.0.0.1:0", data: "data", log: { level: "silent" }, drainMs: 1_000 },
      projects: [{ id: 1, appids: ["shop"], zone: "+00:00" }],
      channel: { outbound: { allow: ["127.0.0.0/8"] } },
    }),
    "task.yaml": "contents: [{language: default, values: {title: Hello, count: 3}}]\nname: spring\n",
    "users.json": JSON.stringify({
      ...{ name: "levels", contents: [{ language: "default", values: { title: "Hi" } }] },
      audience: {
        users: { filts: [{ columnName: "level", tableType: "user", comparator: "greater", ftv: [3] }] },
      },
    }),
    "words.yaml": "audience: {users: {filts: [{columnName: level, tableType: users}]}}\n",
    "ids.txt": "bob\nann\n\nbob\n",
  });
  const { config, locate } = loadConfig({ env: {}, cwd });
  const server = await startServer(config, { locate });
  onTestFinished(() => server.stop());
  const { url } = server.address;
  const response = await fetch(`${url}/v1/channels`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      ...{ name: "mail", project_id: "1", url: receiver.url, push_id_property: "#account_id" },
      authentication: { secret },
      content_template: [
        { name: "title", input_method: "INPUT_METHOD_TEXT", required: true },
        { name: "count", input_method: "INPUT_METHOD_NUMBER" },
      ],
    }),
  });
  expect(response.status).toBe(200);
  const push = (...args: readonly string[]) => runEngage(["push", ...args, "--url", url], { cwd });
  return { push, seen: receiver.seen };
}

test("a task of flags and a file reaches the receiver, and can run again", async () => {
  const { push, seen } = await openServer();
  const first = await push("task.yaml", "--channel", "mail", "--to-file", "ids.txt", "--set", "title=Hi=1");
  expect(first.stderr).toBe("");
  expect(first.stdout.split("\n")).toEqual([
    expect.stringMatching(
      /^t1_\d{4}-\d\d-\d\d is done: 3 users, 1 without a push id of their own, 1 batches$/,
    ),
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
  const { stdout, stderr } = await push("users.json", "--channel", "mail");
  expect([stdout, stderr]).toEqual([expect.stringMatching(/^t1_\S+ is done: 0 users, 0 batches\n/), ""]);
});

test("messages that fail are shown, and are the exit code", async () => {
  const { push } = await openServer([2]);
  const { code, stdout } = await push("task.yaml", "--channel", "mail", "--to", "a", "b", "c");
  expect(code).toBe(1);
  expect(stdout.split("\n").slice(1)).toEqual([
    "succeeded  2",
    "failed     1 by rejected",
    "",
    "PUSH ID  MESSAGE",
    expect.stringMatching(/^b {8}\S/),
    "",
  ]);
});

test.each([
  [["--channel", "letter", "--to", "a"], 'there is no channel of the id or name "letter"'],
  [["--to", "a"], "a channel is required: --channel, or channel_id in the file"],
  [["none.yaml", "--channel", "mail"], 'cannot read "none.yaml" (ENOENT)'],
  [
    ["words.yaml", "--channel", "mail"],
    '"words.yaml": audience.users.filts[0].table_type is "users", valid are "event", "user", "cluster", ',
  ],
  [["ids.txt", "--channel", "mail"], '"ids.txt" is not a task, which is an object'],
  [["--channel", "mail", "--to", "a", "--set", "title"], '--set is "title", give one such as "title=Hello"'],
  [["--channel", "mail", "--to", "a"], 'values["title"] is required'],
])("what is wrong with %j is said", async (args, message) => {
  const { push } = await openServer();
  const { code, stderr } = await push(...args);
  expect(code).toBe(1);
  expect(stderr).toContain(message);
});
