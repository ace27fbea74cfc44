import { create } from "@bufbuild/protobuf";
import { ConnectError, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { nameSender } from "../../base/net/user-agent.ts";
import { valueWord } from "../../base/protobuf/value-words.ts";
import { EventCollector } from "../../gen/engage/event/v1/event_collector_pb.ts";
import { type RefusalReason, RefusalReasonSchema } from "../../gen/engage/event/v1/record_pb.ts";
import {
  type TrackResponse,
  type TrackStreamRequest,
  TrackStreamRequestSchema,
} from "../../gen/engage/event/v1/track_pb.ts";
import { describeCallError } from "../client/call-fault.ts";
import { chooseServer } from "../client/choose-server.ts";
import type { ConfigOptions } from "../config/config.ts";
import { UserError } from "../terminal/user-error.ts";
import type { RefusedRecord } from "./refused.ts";
import type { ImportTarget, PlaceOf, TargetPorts } from "./target.ts";

/** The most batches that are sent and not acknowledged yet. */
const maxOpenBatches = 8;
/** The most lines of a batch, which is the limit of the server. */
const maxLines = 10_000;
const lf = 0x0a;

/** Opens a target that sends records to a running server, over one stream. */
export function openRemoteImport(configOptions: ConfigOptions, ports: TargetPorts): ImportTarget {
  const { projectId, options, summary } = ports;
  const { baseUrl, key } = chooseServer(configOptions, options);
  const client = createClient(EventCollector, createGrpcTransport({ baseUrl, interceptors: [nameSender] }));
  const queue = createQueue<TrackStreamRequest>();
  let sequence = 0n;
  /** The batches that are sent and not acknowledged yet. */
  const open: OpenBatch[] = [];
  let acknowledged = Promise.withResolvers<void>();

  async function receive(): Promise<void> {
    const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
    try {
      for await (const { result } of client.trackStream(queue.values(), { headers })) {
        const batch = open.shift();
        if (result !== undefined) countResults(result, batch?.recordAt);
        batch?.onStored();
        acknowledged.resolve();
        acknowledged = Promise.withResolvers();
      }
    } catch (error) {
      if (!(error instanceof ConnectError)) throw error;
      throw new UserError(`${baseUrl}: ${describeCallError(error)}`, { cause: error });
    }
    if (open.length > 0)
      throw new UserError(`${baseUrl}: the stream ended before all records were acknowledged`);
  }
  function countResults({ accepted, results }: TrackResponse, recordAt: OpenBatch["recordAt"]): void {
    summary.accepted(accepted);
    for (const [index, { outcome }] of results.entries()) {
      if (outcome.case !== "refused") continue;
      summary.refused(reasonOf(outcome.value.reason), outcome.value.message, recordAt?.(index));
    }
  }
  async function send(lines: Uint8Array, batch: OpenBatch): Promise<void> {
    while (open.length >= maxOpenBatches) await Promise.race([acknowledged.promise, receiving]);
    open.push(batch);
    queue.add(
      create(TrackStreamRequestSchema, {
        sequence: ++sequence,
        batch: {
          project: { case: "projectId", value: BigInt(projectId) },
          jsonLines: new Uint8Array(lines),
          dryRun: options.dryRun ?? false,
        },
      }),
    );
  }
  const receiving = receive();
  receiving.catch(() => {});
  return {
    async take(lines, onStored, placeOf) {
      const batches = splitLines(lines);
      for (const [index, batch] of batches.entries()) {
        const isLast = index === batches.length - 1;
        const recordAt = placeOf && recordsOf(batch, (line) => placeOf(index * maxLines + line));
        await send(batch, { onStored: isLast ? onStored : () => {}, recordAt });
      }
    },
    async finish() {
      queue.end();
      await receiving;
    },
    whileStopping: "what was sent is waited for, a second Ctrl-C ends that",
    async [Symbol.asyncDispose]() {
      queue.end();
      await receiving.catch(() => {});
    },
  };
}

/** Returns the reason in lower case, as in REST and metrics. */
function reasonOf(reason: RefusalReason): string {
  return valueWord(RefusalReasonSchema, reason) ?? "unspecified";
}

interface OpenBatch {
  readonly onStored: () => void;
  /** Returns the record of a result by its index; undefined unless it is needed. */
  readonly recordAt: ((index: number) => Pick<RefusedRecord, "place" | "data">) | undefined;
}

/** Returns the records of lines by their index, in which empty lines do not count. */
function recordsOf(lines: Uint8Array, placeOf: PlaceOf): OpenBatch["recordAt"] {
  // The result comes when the lines are not valid any more.
  const kept = Buffer.from(lines);
  let records: readonly { readonly text: string; readonly line: number }[] | undefined;
  return (index) => {
    records ??= kept
      .toString("utf8")
      .split("\n")
      .map((text, at) => ({ text, line: at + 1 }))
      .filter(({ text }) => text !== "" && text !== "\r");
    const { text, line } = records[index]!;
    return { place: placeOf(line), data: text };
  };
}

/** Splits lines into pieces of whole lines. */
function splitLines(lines: Uint8Array): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  let start = 0;
  let count = 0;
  for (let end = lines.indexOf(lf) + 1; end > 0; end = lines.indexOf(lf, end) + 1) {
    if (++count % maxLines !== 0) continue;
    pieces.push(lines.subarray(start, end));
    start = end;
  }
  if (start < lines.length) pieces.push(lines.subarray(start));
  return pieces;
}

interface Queue<T> {
  add(value: T): void;
  end(): void;
  values(): AsyncGenerator<T>;
}

function createQueue<T>(): Queue<T> {
  const waiting: T[] = [];
  let isEnded = false;
  let wakeUp = (): void => {};
  return {
    add(value) {
      waiting.push(value);
      wakeUp();
    },
    end() {
      isEnded = true;
      wakeUp();
    },
    async *values() {
      for (;;) {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) yield next;
        if (isEnded) return;
        await new Promise<void>((resolve) => {
          wakeUp = resolve;
        });
      }
    },
  };
}
