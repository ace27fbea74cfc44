import type { JetStreamClient } from "@nats-io/jetstream";
import type { MsgHdrs, NatsConnection, TlsOptions } from "@nats-io/transport-node";
import { type Outbound, serverName } from "../../../base/net/outbound.ts";
import { exactCountOf } from "../../../base/text/count.ts";
import { describeError } from "../../../base/text/system-error.ts";
import { type Trace, traceHeaders } from "../../../base/trace/trace.ts";
import { createReconnecting } from "./reconnecting.ts";
import { messageId } from "./standard-webhooks.ts";
import { downOutcome, type Target, type TargetOutcome } from "./target.ts";
import { type WriteMessage, writeAll } from "./write.ts";

export interface NatsTargetOptions {
  /** `nats://host:port` or `tls://host:port`; the first that answers is used. */
  readonly servers: readonly string[];
  /** Subject that a stream of JetStream listens to. */
  readonly subject: string;
  /** PEM texts; only for servers with `tls:`. */
  readonly tls: { readonly ca?: string; readonly cert?: string; readonly key?: string };
  readonly login: { readonly user: string; readonly pass: string } | { readonly token: string } | undefined;
  /** Time to connect, and for the stream to acknowledge. */
  readonly timeoutMs: number;
  readonly write: WriteMessage;
  readonly outbound: Outbound;
}

interface Connected {
  readonly connection: NatsConnection;
  readonly jetstream: JetStreamClient;
  readonly createHeaders: () => MsgHdrs;
}

const defaultPort = 4_222;

/**
 * Publishes each message to JetStream and waits until the stream has it. The
 * message's id goes into `Nats-Msg-Id`, by which the stream drops repeats within
 * its duplicate window.
 */
export function createNatsTarget(options: NatsTargetOptions): Target {
  const { subject, timeoutMs, write } = options;
  const connected = createReconnecting<Connected>({
    open: () => openFirst(options),
    isUsable: ({ connection }) => !connection.isClosed(),
    close: ({ connection }) => connection.close(),
  });
  return {
    maxMessages: 500,
    async deliver(batch, signal) {
      const texts = writeAll(batch, write);
      return await connected.use(({ connection, jetstream, createHeaders }) => {
        const maxBytes = connection.info?.max_payload ?? Number.POSITIVE_INFINITY;
        const sent = texts.map(async (text, at): Promise<TargetOutcome> => {
          if (typeof text !== "string") return text;
          const payload = Buffer.from(text);
          if (payload.length > maxBytes) {
            const reason = `message of ${exactCountOf(payload.length, "byte")} is larger than the server's limit of ${maxBytes}`;
            return { kind: "dead", reason };
          }
          const msgID = messageId({ ...batch, elements: [batch.elements[at]!] });
          const passed = headersOf(batch.trace, createHeaders);
          return await jetstream.publish(subject, payload, { msgID, timeout: timeoutMs, ...passed }).then(
            () => ({ kind: "done" }),
            (error: unknown) => downOutcome(describeError(error)),
          );
        });
        return Promise.all(sent);
      }, signal);
    },
    [Symbol.asyncDispose]: () => connected[Symbol.asyncDispose](),
  };
}

/** Returns the headers that pass a trace on, new for each message since the client adds to them. */
function headersOf(trace: Trace | undefined, create: () => MsgHdrs): { readonly headers?: MsgHdrs } {
  if (trace === undefined) return {};
  const headers = create();
  for (const [name, value] of Object.entries(traceHeaders(trace))) headers.set(name, value);
  return { headers };
}

async function openFirst(options: NatsTargetOptions): Promise<Connected> {
  const failures: unknown[] = [];
  for (const server of options.servers) {
    try {
      return await open(new URL(server), options);
    } catch (error) {
      failures.push(error);
    }
  }
  throw failures[0];
}

/** Dials an address that was checked, and no other one: neither names nor what the server says of its cluster. */
async function open(server: URL, { tls, login, timeoutMs, outbound }: NatsTargetOptions): Promise<Connected> {
  const [{ connect, headers }, { jetstream }] = await Promise.all([
    import("@nats-io/transport-node"),
    import("@nats-io/jetstream"),
  ]);
  const host = server.hostname.replace(/^\[|\]$/g, "");
  const port = Number(server.port) || defaultPort;
  const address = await outbound.resolve(host, port);
  // The client hands these on to `tls.connect`, whose servername its types leave out.
  const tlsOptions: TlsOptions & { readonly servername?: string } = { ...tls, ...serverName(host) };
  const connection = await connect({
    ...login,
    servers: [address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`],
    ...(server.protocol === "tls:" ? { tls: tlsOptions } : {}),
    resolve: false,
    ignoreClusterUpdates: true,
    reconnect: false,
    timeout: timeoutMs,
    name: "engage",
  });
  return { connection, jetstream: jetstream(connection), createHeaders: headers };
}
