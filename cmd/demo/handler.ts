import { once } from "node:events";
import { createServer, type Http2Session } from "node:http2";
import type { AddressInfo } from "node:net";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { countOf } from "../../base/text/count.ts";
import { MessageHandler } from "../../gen/engage/handler/v1/message_handler_pb.ts";
import type { HandedMessage, MessageResultSchema } from "../../gen/engage/webhook/v1/batch_pb.ts";

/** A handler of messages such as a team may run. */
export interface DemoHandler extends AsyncDisposable {
  /** The address, as `host:port` on loopback. */
  readonly place: string;
  /** Returns descriptions of the batches and results since the last call of this method. */
  takeNotes(): readonly string[];
  /** The handled messages, in their order. */
  readonly handled: readonly HandedMessage[];
}

/** The push ids for which the handler fails permanently. */
const closedAccounts: ReadonlySet<string> = new Set(["closed", "user-11"]);

/** Implements engage.handler.v1.MessageHandler: a batch in, one result for each message out. */
export async function openDemoHandler(): Promise<DemoHandler> {
  let notes: string[] = [];
  const handled: HandedMessage[] = [];
  const handle = (message: HandedMessage): MessageInitShape<typeof MessageResultSchema> => {
    const { index, pushId, params } = message;
    const isClosed = closedAccounts.has(pushId);
    if (!isClosed) handled.push(message);
    notes.push(`  ${pushId}, title ${params["title"]?.kind.value}: ${isClosed ? "dead" : "done"}`);
    return isClosed
      ? { index, outcome: { case: "dead", value: { reason: "the account is closed" } } }
      : { index, outcome: { case: "done", value: {} } };
  };
  const adapter = connectNodeAdapter({
    routes: (router) =>
      router.service(MessageHandler, {
        handle: ({ batch }) => {
          const messages = batch?.messages ?? [];
          notes.push(
            `Handle is called with ${countOf(messages.length, "message")}, attempt ${batch?.attempt}`,
          );
          return { results: messages.map(handle) };
        },
      }),
  });
  const sessions = new Set<Http2Session>();
  const server = createServer(adapter).on("session", (session) => sessions.add(session));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    handled,
    place: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    takeNotes() {
      const taken = notes;
      notes = [];
      return taken;
    },
    async [Symbol.asyncDispose]() {
      for (const session of sessions) session.destroy();
      server.close();
    },
  };
}

/** Returns the settings of a channel whose messages go to the handler, as environment variables. */
export function demoChannel({ place }: Pick<DemoHandler, "place">, secret: string): Record<string, string> {
  return {
    ENGAGE_WEBHOOK_CHANNELS: JSON.stringify({
      demo: { secrets: [{ value: secret }], targets: ["handler"], pushId: { pattern: "[a-z0-9-]+" } },
    }),
    ENGAGE_WEBHOOK_TARGETS: JSON.stringify({ handler: { kind: "grpc", url: `http://${place}` } }),
    ENGAGE_WEBHOOK_OUTBOUND_ALLOW: JSON.stringify([place]),
  };
}
