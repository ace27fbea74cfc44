import type { ConnectionOptions } from "node:tls";
import type { RedisClientType } from "@redis/client";
import { untilAborted } from "../../../base/async/abort.ts";
import { type Outbound, serverName } from "../../../base/net/outbound.ts";
import { describeError } from "../../../base/text/system-error.ts";
import { createReconnecting } from "./reconnecting.ts";
import { messageId } from "./standard-webhooks.ts";
import { downOutcome, type Target, type TargetOutcome } from "./target.ts";
import { type WriteMessage, writeAll } from "./write.ts";

export interface RedisTargetOptions {
  readonly host: string;
  readonly port: number;
  /** Undefined: no TLS. */
  readonly tls: ConnectionOptions | undefined;
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly database: number;
  /** Key of the stream; made when missing. */
  readonly stream: string;
  /** The stream is cut to about this many entries; undefined: never. */
  readonly maxLength: number | undefined;
  readonly connectTimeoutMs: number;
  readonly write: WriteMessage;
  readonly outbound: Outbound;
}

/**
 * Each message as an entry of a stream (XADD) with the fields `id` (the same in
 * each attempt, for readers that must not act twice), `push_id` and `message`.
 * The server acknowledges what it has in memory; how much a crash of it may
 * lose is for its own settings (`appendfsync`).
 */
export function createRedisTarget(options: RedisTargetOptions): Target {
  const { stream, maxLength, write } = options;
  const trim =
    maxLength === undefined
      ? undefined
      : ({ TRIM: { strategy: "MAXLEN", strategyModifier: "~", threshold: maxLength } } as const);
  const connection = createReconnecting({
    open: () => openClient(options),
    isUsable: ({ isReady }) => isReady,
    close: (client) => client.isOpen && client.destroy(),
  });
  return {
    maxMessages: 500,
    async deliver(batch, signal) {
      const texts = writeAll(batch, write);
      return await connection.use((client) => {
        // All are sent at once: the client puts them into one packet, and the answers come in order.
        const sent = texts.map(async (message, at): Promise<TargetOutcome> => {
          if (typeof message !== "string") return message;
          const element = batch.elements[at]!;
          const id = messageId({ ...batch, elements: [element] });
          return await client.xAdd(stream, "*", { id, push_id: element.pushId, message }, trim).then(
            () => ({ kind: "done" }),
            (error: unknown) => downOutcome(describeError(error)),
          );
        });
        return Promise.all(sent);
      }, signal);
    },
    [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose](),
  };
}

async function openClient(options: RedisTargetOptions): Promise<RedisClientType> {
  const { host, port, tls, username, password, database, connectTimeoutMs, outbound } = options;
  const { createClient } = await import("@redis/client");
  const socket = {
    ...outbound.connectOptions(host, port),
    connectTimeout: connectTimeoutMs,
    // The next call connects again.
    reconnectStrategy: false,
  } as const;
  const client = createClient({
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    database,
    disableOfflineQueue: true,
    socket: tls === undefined ? socket : { ...socket, ...serverName(host), ...tls, tls: true },
  });
  // Failures are reported by rejected promises. An event without a listener would end the process.
  client.on("error", () => {});
  try {
    // The client's own limit ends when the connection stands, not when the server has said hello.
    await untilAborted(client.connect(), AbortSignal.timeout(connectTimeoutMs));
  } catch (error) {
    client.destroy();
    throw error;
  }
  return client as unknown as RedisClientType;
}
