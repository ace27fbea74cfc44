import { Code } from "@connectrpc/connect";
import { onTestFinished } from "vitest";
import { refuse } from "../../../gateway/call/refusals.ts";
import { createGateway } from "../../../gateway/gateway.ts";
import { defaultLimits } from "../../../gateway/limits.ts";
import { serve } from "../../../gateway/methods.ts";
import { EventCollector } from "../../../gen/engage/event/v1/event_collector_pb.ts";
import { createSdkAdmit } from "../../../services/event/admit.ts";
import { createEventCollector } from "../../../services/event/event.ts";
import type { PendingRecords } from "../../../services/event/pending.ts";
import { eventCodecs } from "../../../services/event/rest-codecs.ts";
import { emptySchema, type ProjectSchema } from "../../../store/events/events.ts";

/** 2026-01-03 00:00 UTC. */
export const nowMs = Date.UTC(2026, 0, 3);

export interface CollectorServer {
  readonly url: string;
  /** Lines of the spool. */
  readonly lines: { readonly p: number; readonly r: number; readonly b: unknown }[];
  /** The same, as they are written. */
  readonly texts: string[];
  readonly letters: Readonly<Record<string, unknown>>[];
  /** The calls of the observer. */
  readonly reported: readonly unknown[][];
  /** Waited for before a line is on disk; may be replaced. */
  onDisk: () => Promise<void>;
  schema: ProjectSchema;
  post(path: string, body: string | Uint8Array, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Answer>;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

/** Serves the collector on loopback, over a spool in memory, until the test ends. */
export async function openCollector(
  clock: () => number = () => nowMs,
  further: readonly string[] = [],
): Promise<CollectorServer> {
  const reported: unknown[][] = [];
  const tell =
    (name: string) =>
    (...what: unknown[]): void =>
      void reported.push([name, ...what]);
  const server = createServerState(reported);
  const projects = [
    { id: 1, appids: ["APP_ID", "other", ...further], zone: "+00:00" },
    { id: 2, appids: ["shanghai"], zone: "Asia/Shanghai" },
  ];
  const admit = createSdkAdmit({
    appids: new Set(projects.flatMap(({ appids }) => appids)),
    observer: { rejected: tell("rejected") },
    tooLarge: (message) => refuse("MESSAGE_TOO_LARGE", Code.ResourceExhausted, message),
  });
  const collector = createEventCollector({
    projects,
    append: async (line) => {
      await server.onDisk();
      server.texts.push(Buffer.from(line).toString());
      server.lines.push(JSON.parse(server.texts.at(-1)!));
    },
    schema: () => server.schema,
    pending: () => recordsOf(server.texts),
    deadLetters: {
      append: ({ ndjson }) => {
        const letters = Buffer.from(ndjson).toString().trimEnd().split("\n");
        server.letters.push(...letters.map((letter) => JSON.parse(letter)));
      },
    },
    observer: {
      accepted: tell("taken"),
      refused: tell("refused"),
      dropped: tell("dropped"),
      rejected: tell("rejected"),
    },
    now: clock,
    maxInflatedBytes: 120_000,
  });
  const gateway = createGateway({
    services: [serve(EventCollector, collector, { admit })],
    limits: { ...defaultLimits, maxMessageBytes: 200_000 },
    authorize: () => {},
    observers: [],
    codecs: eventCodecs,
    reportFault: tell("fault"),
    pages: {
      checks: () => ({}),
      metrics: { contentType: "text/plain", text: async () => "" },
      reportFault: tell("fault"),
    },
  });
  const { port } = await gateway.listen("127.0.0.1", 0);
  onTestFinished(() => gateway.drain(0));
  server.url = `http://127.0.0.1:${port}`;
  return server;
}

/** Lines of one file, none of which is loaded. */
function recordsOf(lines: readonly string[]): PendingRecords {
  const bytes = new Uint8Array(Buffer.from(lines.map((line) => `${line}\n`).join("")));
  const start = { number: 1, offset: 0 };
  const end = { number: 1, offset: bytes.length };
  return {
    loadedTo: () => undefined,
    start: async () => start,
    end: async () => end,
    bytesAfter: async ({ offset }) => bytes.length - offset,
    read: async (from) => ({ from, to: end, bytes: bytes.slice(from.offset) }),
  };
}

function createServerState(reported: readonly unknown[][]): CollectorServer & { url: string } {
  const server: CollectorServer & { url: string } = {
    url: "",
    lines: [],
    texts: [],
    letters: [],
    reported,
    onDisk: async () => {},
    schema: emptySchema,
    post: (path, body, headers = {}) =>
      ask(`${server.url}${path}`, {
        method: "POST",
        body: body as NonNullable<RequestInit["body"]>,
        headers,
      }),
    get: (path, headers = {}) => ask(`${server.url}${path}`, { headers }),
  };
  return server;
}

async function ask(url: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(url, init);
  return { status: response.status, text: await response.text(), headers: response.headers };
}
