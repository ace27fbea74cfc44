import { execFile } from "node:child_process";
import { createWriteStream, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { makeFolder, startServer } from "../harness/processes.ts";

const run = promisify(execFile);
const engage = join(import.meta.dirname, "../../cmd/engage.ts");
const [port, receiverPort] = [18_472, 18_473];
const url = `http://127.0.0.1:${port}`;
const receiverUrl = `http://127.0.0.1:${receiverPort}/hook`;

/** Measures the time from RunTask to the first and the last request for all users of a project. */
export async function measureAudience(users: number): Promise<void> {
  const folder = makeFolder();
  const config = join(folder, "engage.yaml");
  writeFileSync(
    config,
    JSON.stringify({
      listen: `127.0.0.1:${port}`,
      data: join(folder, "data"),
      log: { level: "silent" },
      projects: [{ id: 1, appids: ["game"], zone: "+00:00" }],
      channel: { outbound: { allow: ["127.0.0.0/8"] } },
    }),
  );
  const records = join(folder, "records.ndjson");
  await writeRecords(records, users);
  await run(process.execPath, [engage, "import", records, "--project", "1", "--config", config]);
  await using _receiver = await startServer(join(import.meta.dirname, "receiver.ts"), receiverPort);
  await using _server = await startServer(`${engage} serve --config ${config}`, port);
  const channel = await call("/v1/channels", {
    name: "mail",
    project_id: "1",
    url: receiverUrl,
    push_id_property: "#account_id",
    content_template: [{ name: "content", input_method: "INPUT_METHOD_DYNAMIC_TEXT" }],
  });
  const contents = [{ language: "default", values: { content: { text: "Dear {name}, level {level}" } } }];
  const channel_id = channel.channel.channelId ?? channel.channel.channel_id;
  const audience = { users: {} };
  const made = await call("/v1/tasks", { name: "all", channel_id, contents, audience });
  const taskId = made.task.taskId ?? made.task.task_id;
  await fetch(receiverUrl);
  const begun = Date.now();
  await call(`/v1/tasks/${taskId}:run`, {});
  const times: number[] = [];
  while (times.length < users / 100) {
    await sleep(200);
    times.push(...((await (await fetch(receiverUrl)).json()) as number[]));
  }
  const seconds = (at: number) => ((at - begun) / 1_000).toFixed(2);
  console.log(
    `${users} users of the event store: first request after ${seconds(times[0]!)} s, last after ${seconds(times.at(-1)!)} s`,
  );
}

async function writeRecords(file: string, users: number): Promise<void> {
  const out = createWriteStream(file);
  const time = new Date().toISOString().slice(0, 19).replace("T", " ");
  for (let i = 0; i < users; i++) {
    const common = { "#account_id": `player-${i}`, "#time": time };
    const properties = { name: `Name ${i}`, level: i % 60 };
    out.write(`${JSON.stringify({ ...common, "#type": "user_set", properties })}\n`);
    out.write(`${JSON.stringify({ ...common, "#type": "track", "#event_name": "login", properties: {} })}\n`);
    // Without a pause, all lines would wait in memory.
    if (i % 10_000 === 0) await sleep(0);
  }
  await new Promise((resolve) => out.end(resolve));
}

async function call(path: string, body: object) {
  const response = await fetch(`${url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
  return JSON.parse(text);
}
