import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { createHttpClient, type ReceivedResponse } from "../../../base/net/http-client.ts";
import type { Outbound } from "../../../base/net/outbound.ts";
import { describeHtmlPage } from "../../../base/text/html-page.ts";
import { describeError, oneLine } from "../../../base/text/system-error.ts";
import type { RecordReceiver, SendOutcome } from "../../../store/records/records.ts";
import { parseRetryAfter } from "../targets/http-outcome.ts";

export interface SyncServerOptions {
  /** URL of the platform's ingest, without `/sync_server`. */
  readonly url: string;
  readonly appid: string;
  /** Limit of one call. */
  readonly timeoutMs: number;
  readonly outbound: Outbound;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

const compress = promisify(gzip);
/** Limit of a response, which is `{"code":0}`, sometimes with a message. */
const maxResponseBytes = 65_536;

/** Creates a client of the endpoint that the platform's server SDKs use: an array of records, compressed with gzip. */
export function createSyncServer(options: SyncServerOptions): RecordReceiver {
  const { appid, timeoutMs, outbound, now } = options;
  const client = createHttpClient({
    url: `${options.url.replace(/\/+$/, "")}/sync_server`,
    method: "POST",
    maxConnections: 1,
    maxResponseBytes,
    tls: {},
    outbound,
  });
  // No Content-Encoding: the ingest reads the header `compress` only.
  const headers = { "content-type": "application/plaintext", appid, compress: "gzip" };
  return {
    async send(records, signal) {
      const timeout = AbortSignal.timeout(timeoutMs);
      try {
        const body = await compress(joinRecords(records));
        return toOutcome(await client.exchange(headers, body, AbortSignal.any([signal, timeout])), now());
      } catch (error) {
        const reason = timeout.aborted ? `no response within ${timeoutMs} ms` : describeError(error);
        return { kind: "retry", reason };
      }
    },
    async [Symbol.asyncDispose]() {
      client.close();
    },
  };
}

/** Joins the bytes of the records to a JSON array. */
function joinRecords(records: readonly Uint8Array[]): Buffer {
  const comma = Buffer.from(",");
  const parts = records.flatMap((record, at) => (at === 0 ? [record] : [comma, record]));
  return Buffer.concat([Buffer.from("["), ...parts, Buffer.from("]")]);
}

function toOutcome({ status, headers, text, bodyFault = "" }: ReceivedResponse, nowMs: number): SendOutcome {
  const said = describeHtmlPage(text) ?? (text || bodyFault);
  const reason = oneLine(`HTTP ${status}${said === "" ? "" : `: ${said}`}`);
  const afterMs = parseRetryAfter(headers["retry-after"], nowMs);
  const isFromServer = status < 300 || (status >= 400 && status < 500);
  const code = isFromServer ? codeOf(text) : undefined;
  if (code === 0 && status < 300) return { kind: "taken" };
  if (code === -1 || status === 413) return { kind: "refused", reason };
  if (code === -2) return { kind: "unknown_appid", reason };
  return { kind: "retry", reason, afterMs };
}

/** Reads the code of a response; undefined if it is not one of the ingest. */
function codeOf(text: string): unknown {
  try {
    const response: unknown = JSON.parse(text);
    return response !== null && typeof response === "object" && "code" in response
      ? response.code
      : undefined;
  } catch {
    return undefined;
  }
}
