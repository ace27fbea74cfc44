import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { envelope, openHttp2 } from "../../e2e/raw.ts";
import { openTempFolder } from "../../store/inbox/temp-folder.ts";
import { wrap } from "../growth/protobuf.ts";
import { config, signatureOf } from "../growth/requests.ts";
import { type Engage, openEngage } from "../webhook/engage.ts";

/** Looks for memory that a server keeps after large calls have ended. */
const mib = 1024 * 1024;
/** The pages of the programs alone are 100 MiB of it. */
const maxQuietMib = 320;
/** Checks of a second each; on a machine that is not busy, half of them suffice. */
const maxChecks = 60;

let folder: Awaited<ReturnType<typeof openTempFolder>>;
let engage: Engage;

beforeAll(async () => {
  folder = await openTempFolder();
  const limits = { methods: { "proto.Parser/Parse": 128 * mib } };
  // As `npm start` and the image set it.
  const env = { MALLOC_MMAP_THRESHOLD_: "1048576" };
  engage = await openEngage(folder.path, { ...config, parser, limits }, { env });
});

afterAll(async () => {
  await engage[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

function residentMib(): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${engage.pid}/status`, "utf8"))?.[1]) / 1024;
}

/** Resolves with the memory as soon as it is little, or at the end. */
async function quietMib(): Promise<number> {
  let last = residentMib();
  for (let check = 0; last >= maxQuietMib && check < maxChecks; check++) {
    await sleep(1_000);
    last = residentMib();
  }
  return last;
}

const line = 'json|ta|{"a":"player-1","b":"2026-11-01T00:00:00Z","c":1,"text":"some words of a line"}:ta:';
const linesOf = (bytes: number): Buffer => Buffer.alloc(Math.floor(bytes / line.length) * line.length, line);
const url = (): string => `http://127.0.0.1:${engage.port}`;

async function parseOverGrpc(bytes: number): Promise<void> {
  const headers = { ":path": "/proto.Parser/Parse", "content-type": "application/grpc", te: "trailers" };
  using call = openHttp2(url(), headers);
  call.stream.end(envelope(wrap(1, linesOf(bytes))));
  const { headers: answer, body } = await call.answer;
  expect(answer["grpc-status"]).toBe("0");
  expect(body.length).toBeGreaterThan(bytes / 2);
}

async function post(path: string, type: string, body: Buffer<ArrayBuffer>): Promise<void> {
  const signature = signatureOf({ name: "", path, headers: {}, body: () => body }, body);
  const headers = { "content-type": type, appid: "app", ...signature };
  const response = await fetch(url() + path, { method: "POST", headers, body });
  await response.arrayBuffer();
  expect(response.status).toBe(200);
}

/** A JSON array of about this length. */
function arrayOf(element: string, bytes: number): Buffer<ArrayBuffer> {
  return Buffer.from(`[${`${element},`.repeat(Math.floor(bytes / (element.length + 1)) - 1)}${element}]`);
}

/** A batch has at most 500. */
const message = JSON.stringify({
  push_id: "p",
  params: { text: "x".repeat(34_000) },
  "#ops_receipt_properties": {},
});
const record = JSON.stringify({
  "#type": "track",
  "#account_id": "a",
  "#time": "2026-11-01 00:00:00",
  "#event_name": "e",
  properties: { text: "x".repeat(1_000) },
});
const parser = {
  separator: ":ta:",
  formats: [
    {
      name: "json",
      index: "json",
      type: "json",
      rest: "drop",
      mapping: {
        "#type": { value: "track" },
        "#account_id": "a",
        "#time": { from: "b", type: "time", format: "iso" },
        "#event_name": { value: "line" },
      },
    },
  ],
};

const bodyBytes = 15 * mib;

describe("memory is free again", { timeout: 120_000 }, () => {
  it.each<[string, () => Promise<void>]>([
    ["a call of 100 MiB", () => parseOverGrpc(100 * mib)],
    [
      "bodies of 15 MiB",
      async () => {
        for (let round = 0; round < 4; round++) {
          await Promise.all([
            parseOverGrpc(bodyBytes),
            post("/proto.Parser/Parse", "application/proto", Buffer.from(wrap(1, linesOf(bodyBytes)))),
            post("/webhook/demo", "application/json", arrayOf(message, bodyBytes)),
            post("/sync_server", "application/json", arrayOf(record, bodyBytes)),
          ]);
        }
      },
    ],
  ])("after %s", async (_name, work) => {
    await work();
    expect(await quietMib()).toBeLessThan(maxQuietMib);
  });
});
