import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { projectId } from "../../analysis/data.ts";
import { freePort, type Server, startServer } from "../../harness/processes.ts";
import { each, type GrowthPath, refusalIn, repeatedly, textOf } from "../measure.ts";
import { serveData } from "../project.ts";
import { firstUsers, importUsers, usersOfProject } from "./users.ts";

const batchSize = 100;
const pollMs = 10;
const contents = [{ language: "default", values: { content: { text: "Dear {name}, level {level}" } } }];

async function send({ port }: Server, path: string, body: object): Promise<Response> {
  return await fetch(`http://127.0.0.1:${port}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

interface Made {
  readonly channel?: { readonly channelId: string };
  readonly task?: { readonly taskId: string };
}

async function call(server: Server, path: string, body: object): Promise<Made> {
  return JSON.parse(await textOf(await send(server, path, body))) as Made;
}

async function createChannel(server: Server, url: string): Promise<string> {
  const { channel } = await call(server, "/v1/channels", {
    name: "mail",
    project_id: String(projectId),
    url,
    push_id_property: "#account_id",
    content_template: [{ name: "content", input_method: "INPUT_METHOD_DYNAMIC_TEXT" }],
    delivery: { batch_size: batchSize },
  });
  return channel!.channelId;
}

const recipients: GrowthPath = {
  name: "push-recipients",
  sizes: [100, 1_000, 10_000, usersOfProject],
  rounds: 3,
  async open(sizes) {
    await using opened = new AsyncDisposableStack();
    const receiver = opened.use(
      await startServer(join(import.meta.dirname, "../../channel/receiver.ts"), await freePort()),
    );
    const url = `http://127.0.0.1:${receiver.port}/hook`;
    const data = await importUsers();
    const server = opened.use(await serveData(data, { channel: { outbound: { allow: ["127.0.0.0/8"] } } }));
    const channelId = await createChannel(server, url);
    let tasks = 0;
    const push = async (users: number): Promise<void> => {
      const audience = { users: { filts: [firstUsers(users)] } };
      const task = { name: `task ${++tasks}`, channel_id: channelId, contents, audience };
      const { task: made } = await call(server, "/v1/tasks", task);
      await call(server, `/v1/tasks/${made!.taskId}:run`, {});
      // The receiver forgets the requests that it has reported.
      for (let requests = 0; requests < users / batchSize; ) {
        await sleep(pollMs);
        requests += ((await (await fetch(url)).json()) as number[]).length;
      }
    };
    const tooMany = Array.from({ length: 1_200_000 }, (_, at) => `user-${at}`);
    const audience = { push_ids: { push_ids: tooMany } };
    const task = { name: "too many", channel_id: channelId, contents, audience };
    const refusal = await refusalIn(await send(server, "/v1/tasks", task));
    const points = sizes.map((work) => ({
      work,
      measure: repeatedly(
        server,
        each(() => push(work)),
      ),
    }));
    const stack = opened.move();
    return { points, refusal, [Symbol.asyncDispose]: () => stack.disposeAsync() };
  },
};

export const pushPaths: readonly GrowthPath[] = [recipients];
