import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { createHttpClient, type HttpAnswer } from "../../../base/net/http-client.ts";
import type { Outbound } from "../../../base/net/outbound.ts";
import { describeError, oneLine } from "../../../base/text/system-error.ts";
import type { RecordReceiver, SendOutcome } from "../../../store/records/records.ts";
import { parseRetryAfter } from "../targets/http-answer.ts";

export interface SyncServerOptions {
  /** Of the platform's ingest, without `/sync_server`. */
  readonly url: string;
  readonly appid: string;
  /** Time for one call. */
  readonly timeoutMs: number;
  readonly outbound: Outbound;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

const compress = promisify(gzip);
/** An answer is `{"code":0}`, at times with a message. */
const maxAnswerBytes = 65_536;

/** The place of the platform's ingest that server SDKs send to: an array of records, gzip, said by a header of its own. */
export function createSyncServer(options: SyncServerOptions): RecordReceiver {
  const { appid, timeoutMs, outbound, now } = options;
  const client = createHttpClient({
    url: `${options.url.replace(/\/+$/, "")}/sync_server`,
    method: "POST",
    maxConnections: 1,
    maxAnswerBytes,
    tls: {},
    outbound,
  });
  // No Content-Encoding: the ingest looks at `compress` alone.
  const headers = { "content-type": "application/plaintext", appid, compress: "gzip" };
  return {
    async send(records, signal) {
      const timeout = AbortSignal.timeout(timeoutMs);
      try {
        const body = await compress(joinRecords(records));
        return toOutcome(await client.exchange(headers, body, AbortSignal.any([signal, timeout])), now());
      } catch (error) {
        const reason = timeout.aborted ? `no answer within ${timeoutMs} ms` : describeError(error);
        return { kind: "retry", reason };
      }
    },
    async [Symbol.asyncDispose]() {
      client.close();
    },
  };
}

/** A JSON array of the records, each byte for byte. */
function joinRecords(records: readonly Uint8Array[]): Buffer {
  const comma = Buffer.from(",");
  const parts = records.flatMap((record, at) => (at === 0 ? [record] : [comma, record]));
  return Buffer.concat([Buffer.from("["), ...parts, Buffer.from("]")]);
}

function toOutcome({ status, headers, text, bodyFault = "" }: HttpAnswer, nowMs: number): SendOutcome {
  const said = text || bodyFault;
  const reason = oneLine(`HTTP ${status}${said === "" ? "" : `: ${said}`}`);
  const afterMs = parseRetryAfter(headers["retry-after"], nowMs);
  const isAnswer = status < 300 || (status >= 400 && status < 500);
  const code = isAnswer ? codeOf(text) : undefined;
  if (code === 0 && status < 300) return { kind: "taken" };
  if (code === -1 || status === 413) return { kind: "refused", reason };
  if (code === -2) return { kind: "unknown_appid", reason };
  return { kind: "retry", reason, afterMs };
}

/** Undefined when the answer is not the ingest's. */
function codeOf(text: string): unknown {
  try {
    const answer: unknown = JSON.parse(text);
    return answer !== null && typeof answer === "object" && "code" in answer ? answer.code : undefined;
  } catch {
    return undefined;
  }
}
