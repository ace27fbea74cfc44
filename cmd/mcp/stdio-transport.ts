import type { Readable, Writable } from "node:stream";
import type { JSONRPCMessage, RequestId } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { systemClock } from "../../base/async/clock.ts";
import { Notifier } from "../../base/async/notifier.ts";

export interface StdioTransportOptions {
  readonly stdin: Readable;
  readonly stdout: Writable;
  /** Limit of the wait for the responses to open requests. */
  readonly maxWaitMs: number;
}

/**
 * A transport over standard streams which does not close at the end of its input before it has sent the responses to
 * open requests: a file of requests ends while the first ones are under way.
 */
export class StdioTransport extends StdioServerTransport {
  readonly #maxWaitMs: number;
  readonly #open = new Set<RequestId>();
  readonly #changes = new Notifier(systemClock);
  readonly #closed = Promise.withResolvers<void>();
  /** Resolves when the transport is closed. */
  readonly closed = this.#closed.promise;

  constructor({ stdin, stdout, maxWaitMs }: StdioTransportOptions) {
    super(stdin, stdout);
    this.#maxWaitMs = maxWaitMs;
  }

  override async start(): Promise<void> {
    const { onmessage } = this;
    this.onmessage = (message) => {
      this.#receive(message);
      onmessage?.(message);
    };
    await super.start();
  }

  override async send(message: JSONRPCMessage): Promise<void> {
    try {
      await super.send(message);
    } finally {
      if (!("method" in message)) this.#settle(message.id);
    }
  }

  override async close(): Promise<void> {
    const endMs = systemClock.monotonicMs() + this.#maxWaitMs;
    while (this.#open.size > 0 && systemClock.monotonicMs() < endMs) {
      await this.#changes.wait(endMs - systemClock.monotonicMs());
    }
    await super.close();
    this.#closed.resolve();
  }

  #receive(message: JSONRPCMessage): void {
    if (!("method" in message)) return;
    if ("id" in message) this.#open.add(message.id);
    // A cancelled request gets no response.
    else if (message.method === "notifications/cancelled") this.#settle(message.params?.["requestId"]);
  }

  #settle(id: unknown): void {
    this.#open.delete(id as RequestId);
    this.#changes.notify();
  }
}
