import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { expect, it } from "vitest";
import { createOutbound } from "../../../base/net/outbound.ts";
import { createNatsTarget } from "../../../services/webhook/targets/nats.ts";
import { writeReceived } from "../../../services/webhook/targets/write.ts";
import { testTarget } from "../../conformance/target.ts";
import { handedBatch, messageJson } from "../../services/webhook/handed.ts";
import { openServerProcess, type ServerProcess } from "./server-process.ts";

interface StoredMessage {
  readonly text: string;
  readonly id: string | undefined;
  readonly traceparent: string | undefined;
}

function openTarget(port: number) {
  return createNatsTarget({
    servers: [`nats://127.0.0.1:${port}`],
    subject: "push.mail",
    tls: {},
    login: undefined,
    timeoutMs: 5_000,
    write: writeReceived,
    outbound: createOutbound({ allow: ["127.0.0.0/8"] }),
  });
}

/** A server with a stream for the target's subject. */
async function openServer(): Promise<ServerProcess & { readonly folder: string }> {
  let folder = "";
  const server = await openServerProcess("nats-server", (port, dir) => {
    folder = dir;
    return ["-js", "-sd", dir, "-a", "127.0.0.1", "-p", `${port}`];
  });
  await manage(server.port, (manager) => manager.streams.add({ name: "PUSH", subjects: ["push.>"] }));
  return Object.assign(server, { folder });
}

async function manage<T>(
  port: number,
  work: (manager: Awaited<ReturnType<typeof jetstreamManager>>) => Promise<T>,
): Promise<T> {
  const connection = await connect({ servers: [`127.0.0.1:${port}`] });
  try {
    return await work(await jetstreamManager(connection));
  } finally {
    await connection.close();
  }
}

function messagesOf(port: number): Promise<readonly StoredMessage[]> {
  return manage(port, async (manager) => {
    const { state } = await manager.streams.info("PUSH");
    const sequences = Array.from({ length: state.messages }, (_, at) => state.first_seq + at);
    const stored = await Promise.all(sequences.map((seq) => manager.streams.getMessage("PUSH", { seq })));
    return stored.map((message) => ({
      text: message!.string(),
      id: message!.header.get("Nats-Msg-Id"),
      traceparent: message!.header.get("traceparent"),
    }));
  });
}

async function openRig() {
  const server = await openServer();
  const target = openTarget(server.port);
  const behaviours: Record<string, () => unknown> = {
    later: () => manage(server.port, (manager) => manager.streams.delete("PUSH")),
    async never() {
      const config = join(server.folder, "small.conf");
      await writeFile(config, "max_payload: 50\n");
      await server.stop();
      await server.start("-c", config);
    },
    hang: () => server.freeze(),
  };
  return {
    target,
    behave: (behaviour: string) => behaviours[behaviour]?.(),
    received: async () => (await messagesOf(server.port)).map(({ text }) => parse(text)),
    goAway: () => server.stop(),
    comeBack: () => server.start(),
    async [Symbol.asyncDispose]() {
      await target[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

function parse(text: string) {
  const [, receipt = ""] = /"#ops_receipt_properties":(.*)\}$/.exec(text) ?? [];
  return { pushId: (JSON.parse(text) as { push_id: string }).push_id, receipt };
}

testTarget("nats", openRig, ["later", "never", "hang"]);

it("lets the stream drop what it has had before", async () => {
  await using server = await openServer();
  await using target = openTarget(server.port);
  const batch = handedBatch([messageJson("a")]);
  const { signal } = new AbortController();
  const outcomes = [
    await target.deliver(batch, signal),
    await target.deliver({ ...batch, attempt: 2 }, signal),
    await target.deliver({ ...batch, replay: "again" }, signal),
  ];
  expect(outcomes.flat().map(({ kind }) => kind)).toEqual(["done", "done", "done"]);
  expect((await messagesOf(server.port)).map(({ id }) => id)).toEqual([
    "msg_b1_0_crm",
    expect.stringMatching(/^msg_b1_0_crm_[0-9a-f]{16}$/),
  ]);
});

it("passes the trace of a batch on in the headers of its messages", async () => {
  await using server = await openServer();
  await using target = openTarget(server.port);
  const { signal } = new AbortController();
  const trace = { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" };
  await target.deliver(handedBatch([messageJson("a"), messageJson("b")], { trace }), signal);
  await target.deliver(handedBatch([messageJson("c")], { batchId: "b2" }), signal);
  const { traceparent } = trace;
  expect((await messagesOf(server.port)).map((message) => message.traceparent)).toEqual([
    traceparent,
    traceparent,
    "",
  ]);
});
