import { post, timeBefore } from "./events.ts";
import { openReceiver, type Receiver } from "./receiver.ts";

const users = Array.from({ length: 40 }, (_, i) => `user-${i + 1}`);

/** Pushes two languages in two groups to users by their properties, of whom some click. */
export async function openExamplePush(url: string): Promise<Receiver> {
  const receiver = await openReceiver();
  const report = (records: readonly object[]) =>
    post(url, "/sync_server", records, { appid: "app", compress: "none" });
  await report(users.map((account, i) => recordOf("user_set", account, { level: i + 1 })));
  await post(url, "/v1/channels", channelOf(receiver.url));
  await post(url, "/v1/tasks", task);
  await post(url, "/v1/tasks/t1:run", {});
  const runId = await endOf(url);
  const receipt = { ops_project_id: 1, ops_task_id: "t1", ops_task_instance_id: runId };
  const shown = users.slice(0, 31).map((account) => eventOf("push_shown", account, receipt));
  const clicked = users.slice(0, 12).map((account) => eventOf("ops_push_click", account, receipt));
  await report([...shown, ...clicked]);
  return receiver;
}

function channelOf(url: string): object {
  return {
    name: "mail",
    projectId: 1,
    url,
    pushIdProperty: "#account_id",
    authentication: { secret: "secret-of-the-example" },
    contentTemplate: [
      { name: "title", displayName: "Title", inputMethod: "INPUT_METHOD_DYNAMIC_TEXT", required: true },
    ],
    customParameters: [{ name: "level", property: "level", defaultValue: "1" }],
    funnel: { stepEvents: ["push_shown"] },
    delivery: { batchSize: 10, retries: 3 },
  };
}

const task = {
  name: "New season",
  channelId: "c1",
  contents: [{ language: "default", values: { title: { text: "Level {level}: new items wait" } } }],
  audience: { pushIds: { pushIds: users } },
};

function recordOf(type: string, account: string, properties: object): object {
  return { "#type": type, "#account_id": account, "#time": timeBefore(1), properties };
}

function eventOf(name: string, account: string, receipt: object): object {
  const record = recordOf("track", account, { "#ops_receipt_properties": receipt });
  // Events have whole seconds: this one is not before the run.
  const time = timeBefore(-1);
  return { ...record, "#event_name": name, "#time": time };
}

/** Waits for the end of the run and returns its id. */
async function endOf(url: string): Promise<string> {
  for (;;) {
    const response = await fetch(`${url}/v1/tasks/t1`);
    const { task: found } = (await response.json()) as { task: { state: string; taskInstanceId: string } };
    if (found.state === "TASK_STATE_DONE") return found.taskInstanceId;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
