import http from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { SignedBatch } from "./batches.ts";

export interface Answer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly text: string;
}

/** Sends batches over a few kept connections to the channel `demo`. */
export interface Sender extends Disposable {
  /** Rejects when the connection breaks before the answer is there. */
  send(batch: SignedBatch, path?: string): Promise<Answer>;
  /** Sends it until it is acknowledged, as the platform does. Rejects when the signal is aborted. */
  sendUntilAcknowledged(batch: SignedBatch): Promise<Answer>;
  /** How often each status was answered; 0 stands for broken connections. */
  readonly statuses: ReadonlyMap<number, number>;
}

const retryMs = 50;

export interface SenderOptions {
  readonly connections?: number;
  /** Ends what is sent until it is acknowledged. */
  readonly signal?: AbortSignal;
}

export function createSender(
  address: { readonly port: number },
  { connections = 8, signal }: SenderOptions = {},
): Sender {
  const agent = new http.Agent({ keepAlive: true, maxSockets: connections });
  const statuses = new Map<number, number>();
  const note = (status: number): void => void statuses.set(status, (statuses.get(status) ?? 0) + 1);

  function send({ headers, body }: SignedBatch, path = "/webhook/demo"): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const request = http.request({
      agent,
      path,
      host: "127.0.0.1",
      port: address.port,
      method: "POST",
      headers: { ...headers, "content-length": body.length },
    });
    request.on("error", reject);
    request.on("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const { statusCode = 0, headers: received } = response;
        resolve({ status: statusCode, headers: received, text: Buffer.concat(chunks).toString() });
      });
    });
    request.end(body);
    return promise.then(
      (answer) => {
        note(answer.status);
        return answer;
      },
      (error) => {
        note(0);
        throw error;
      },
    );
  }

  async function sendUntilAcknowledged(batch: SignedBatch): Promise<Answer> {
    for (;;) {
      const answer = await send(batch).catch(() => undefined);
      if (answer?.status === 200) return answer;
      await sleep(retryMs, undefined, { signal });
    }
  }

  return { send, sendUntilAcknowledged, statuses, [Symbol.dispose]: () => agent.destroy() };
}
