import { join } from "node:path";
import { startService } from "../../analysis/service.ts";
import { freePort, makeFolder, type Server } from "../../harness/processes.ts";
import { openGenerator, type Turn } from "../../webhook/generator.ts";
import { secret } from "../../webhook/secret.ts";
import { type GrowthPath, type OpenPath, refusalIn, repeatedly } from "../measure.ts";

const maxMessages = 10_000;
/** Batches of one sender, and messages of each. */
const batchesOfSender = 10;
const messagesOfBatch = 20;

/** The messages of `demo` wait for a consumer that never comes; `default` has the limits that channels begin with. */
async function start(): Promise<Server> {
  return await startService(await freePort(), join(makeFolder(), "data"), {
    webhook: {
      channels: {
        demo: { secrets: [{ value: secret }], targets: ["queue"], maxMessages },
        default: { auth: "off", targets: ["queue"] },
      },
      targets: { queue: { kind: "pull" } },
    },
  });
}

type Sent = Pick<Turn, "connections" | "batches" | "elements">;

/** @param sentFor returns what is sent for an amount of work, this many times */
async function open(
  sizes: readonly number[],
  sentFor: (work: number, times: number) => Sent,
): Promise<OpenPath & { readonly server: Server }> {
  await using opened = new AsyncDisposableStack();
  const server = opened.use(await start());
  const generator = opened.use(openGenerator());
  const points = sizes.map((work) => ({
    work,
    measure: repeatedly(server, (times) => async () => {
      await generator.run({ port: server.port, path: "/webhook/demo", ...sentFor(work, times) });
    }),
  }));
  const stack = opened.move();
  return { points, server, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

/** Returns the reply to a batch with one message more than a channel takes without settings. */
async function refusalOf({ port }: Server): Promise<string> {
  const messages = Array.from({ length: 501 }, (_, at) => ({
    push_id: `user-${at}`,
    params: {},
    "#ops_receipt_properties": { ops_request_id: "too-many" },
  }));
  const response = await fetch(`http://127.0.0.1:${port}/webhook/default`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(messages),
  });
  return await refusalIn(response);
}

const elements: GrowthPath = {
  name: "webhook-elements",
  sizes: [1, 10, 100, 1_000, maxMessages],
  async open(sizes) {
    const opened = await open(sizes, (work, times) => ({ connections: 1, batches: times, elements: work }));
    return { ...opened, refusal: await refusalOf(opened.server) };
  },
};

const senders: GrowthPath = {
  name: "webhook-senders",
  sizes: [1, 10, 100, 1_000],
  open: (sizes) =>
    open(sizes, (work, times) => ({
      connections: work,
      batches: work * batchesOfSender * times,
      elements: messagesOfBatch,
    })),
};

export const webhookPaths: readonly GrowthPath[] = [elements, senders];
