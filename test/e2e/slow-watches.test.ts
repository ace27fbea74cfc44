import { once } from "node:events";
import { request as requestHttp } from "node:http";
import { connect as connectHttp2 } from "node:http2";
import type { Readable } from "node:stream";
import {
  create,
  type DescMessage,
  type DescMethod,
  fromBinary,
  type MessageShape,
  toBinary,
} from "@bufbuild/protobuf";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import {
  RecordWatcher,
  WatchRecordsRequestSchema,
  WatchRecordsResponseSchema,
} from "../../gen/engage/event/v1/record_watcher_pb.ts";
import {
  WatchDeliveriesRequestSchema,
  WatchDeliveriesResponseSchema,
} from "../../gen/engage/webhook/v1/watch_pb.ts";
import { WebhookReceiver } from "../../gen/engage/webhook/v1/webhook_receiver_pb.ts";
import { openEventServer, trackOf } from "../cmd/event-server.ts";
import { dataFolder, openWebhookServer, secret } from "../cmd/webhook-server.ts";
import { openHttpServer } from "../services/webhook/targets/http-server.ts";

/** A call whose response nobody reads until `frames` does. */
interface Viewer {
  frames(): AsyncGenerator<Buffer>;
}

type Open = (url: string, method: DescMethod, message: Uint8Array) => Promise<Viewer>;

const pathOf = (method: DescMethod): string => `/${method.parent.typeName}/${method.name}`;

/** The envelope of gRPC, gRPC-Web and Connect: flags and a length before the message. */
function enveloped(message: Uint8Array): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

async function* framesOf(stream: Readable): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 5 && rest.length >= 5 + rest.readUInt32BE(1)) {
      const end = 5 + rest.readUInt32BE(1);
      yield rest.subarray(5, end);
      rest = rest.subarray(end);
    }
  }
}

const overHttp2: Open = async (url, method, message) => {
  const session = connectHttp2(url);
  onTestFinished(() => session.destroy());
  const stream = session.request({
    ":method": "POST",
    ":path": pathOf(method),
    "content-type": "application/grpc",
    te: "trailers",
  });
  stream.end(enveloped(message));
  await once(stream, "response");
  return { frames: () => framesOf(stream) };
};

const overHttp1 =
  (contentType: string): Open =>
  async (url, method, message) => {
    const request = requestHttp(`${url}${pathOf(method)}`, {
      method: "POST",
      headers: { "content-type": contentType, "connect-protocol-version": "1", "x-grpc-web": "1" },
    });
    onTestFinished(() => {
      request.destroy();
    });
    request.end(enveloped(message));
    const [response] = (await once(request, "response")) as [Readable];
    return { frames: () => framesOf(response) };
  };

const kinds: readonly (readonly [string, Open])[] = [
  ["gRPC", overHttp2],
  ["gRPC-Web", overHttp1("application/grpc-web+proto")],
  ["Connect", overHttp1("application/connect+proto")],
];

/** What a viewer has seen so far, and what it was told that it missed. */
interface Seen {
  shown: number;
  skipped: number;
}

/** Reads until as many items were shown or skipped. */
async function readAll<Desc extends DescMessage>(
  viewer: Viewer,
  desc: Desc,
  itemsOf: (response: MessageShape<Desc>) => { readonly shown: number; readonly skipped: bigint },
  total: number,
  seen: Seen = { shown: 0, skipped: 0 },
): Promise<Seen> {
  for await (const frame of viewer.frames()) {
    const items = itemsOf(fromBinary(desc, frame));
    seen.shown += items.shown;
    seen.skipped += Number(items.skipped);
    if (seen.shown + seen.skipped >= total) break;
  }
  return seen;
}

describe("a watch of records that is never read", () => {
  it("holds up no other and is told what it missed, over each protocol", async () => {
    const server = await openEventServer(dataFolder());
    const method = RecordWatcher.method.watchRecords;
    const message = toBinary(WatchRecordsRequestSchema, create(WatchRecordsRequestSchema, { projectId: 1n }));
    const slow = await Promise.all(kinds.map(([, open]) => open(server.url, method, message)));
    const batches = 30;
    const size = 100;
    const total = batches * size;
    const read = (viewer: Viewer, seen?: Seen): Promise<Seen> =>
      readAll(
        viewer,
        WatchRecordsResponseSchema,
        ({ records, skipped }) => ({ shown: records.length, skipped }),
        total,
        seen,
      );
    const other: Seen = { shown: 0, skipped: 0 };
    const prompt = read(await overHttp2(server.url, method, message), other);
    // A watch shows 8 kB of each, and all of them are more than the sockets of a machine hold.
    const notes = Array.from({ length: 16 }, (_, i) => [`note_${i}`, "x".repeat(500)]);
    const record = trackOf("ann", { properties: Object.fromEntries(notes) });
    for (let sent = size; sent <= total; sent += size) {
      expect(await server.send(Array.from({ length: size }, () => record))).toContain('"code":0');
      await vi.waitFor(() => expect(other).toEqual({ shown: sent, skipped: 0 }), 20_000);
    }
    await prompt;
    for (const [i, viewer] of slow.entries()) {
      const seen = await read(viewer);
      expect([kinds[i]![0], seen.shown + seen.skipped]).toEqual([kinds[i]![0], total]);
      // What it missed was not kept for it.
      expect(seen.skipped).toBeGreaterThan(0);
    }
  });
});

describe("a watch of deliveries that is never read", () => {
  it("holds up neither deliveries nor another watch, and is told what it missed", async () => {
    const target = await openHttpServer();
    onTestFinished(() => target[Symbol.asyncDispose]());
    target.answer = (response) => response.writeHead(409).end("x".repeat(1_000));
    const server = await openWebhookServer({
      channels: { demo: { secrets: [{ value: secret }], targets: ["crm"] } },
      targets: { crm: { kind: "http", url: target.url } },
      outbound: { allow: [`127.0.0.1:${target.port}`] },
    });
    const method = WebhookReceiver.method.watchDeliveries;
    const message = toBinary(WatchDeliveriesRequestSchema, create(WatchDeliveriesRequestSchema));
    const slow = await overHttp2(server.url, method, message);
    const batches = 8;
    const size = 400;
    // Each batch is an event, and so is each attempt.
    const total = batches * (size + 1);
    const read = (viewer: Viewer): Promise<Seen> =>
      readAll(
        viewer,
        WatchDeliveriesResponseSchema,
        ({ events, skipped }) => ({ shown: events.length, skipped }),
        total,
      );
    const prompt = read(await overHttp2(server.url, method, message));
    for (let i = 0; i < batches; i++) {
      const elements = Array.from({ length: size }, (_, at) => ({
        push_id: `u${i}-${at}`,
        "#ops_receipt_properties": {},
      }));
      await server.send(JSON.stringify(elements));
    }
    const other = await prompt;
    expect(other.shown + other.skipped).toBe(total);
    const seen = await read(slow);
    expect(seen.shown + seen.skipped).toBe(total);
    expect(seen.skipped).toBeGreaterThan(other.skipped);
  });
});
