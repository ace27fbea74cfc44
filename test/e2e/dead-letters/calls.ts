import { type MessageInitShape, toJson } from "@bufbuild/protobuf";
import { createClient, type Transport } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { expect } from "vitest";
import {
  CountDeadLettersResponseSchema,
  type DeadLetterFilterSchema,
  type DeadLetterKind,
  DeadLetters,
  GetDeadLetterResponseSchema,
  ListDeadLettersResponseSchema,
  ListKindsResponseSchema,
  ListReasonsResponseSchema,
  ReplayDeadLettersResponseSchema,
} from "../../../gen/engage/operations/v1/dead_letters_pb.ts";

type Filter = MessageInitShape<typeof DeadLetterFilterSchema>;
type Json = Record<string, unknown>;

/** The methods over one protocol. Responses are JSON with all fields. */
export interface Calls {
  kinds(): Promise<Json>;
  reasons(kind: DeadLetterKind): Promise<Json>;
  list(filter: Filter): Promise<Json>;
  get(deadLetterId: string): Promise<Json>;
  count(filter: Filter): Promise<Json>;
  replay(filter: Filter): Promise<Json>;
  exported(filter: Filter): Promise<string>;
}

const options = { alwaysEmitImplicit: true };

function overRpc(transport: Transport): Calls {
  const client = createClient(DeadLetters, transport);
  return {
    kinds: async () => toJson(ListKindsResponseSchema, await client.listKinds({}), options) as Json,
    reasons: async (kind) =>
      toJson(ListReasonsResponseSchema, await client.listReasons({ kind }), options) as Json,
    list: async (filter) =>
      toJson(ListDeadLettersResponseSchema, await client.listDeadLetters({ filter }), options) as Json,
    get: async (deadLetterId) =>
      toJson(GetDeadLetterResponseSchema, await client.getDeadLetter({ deadLetterId }), options) as Json,
    count: async (filter) =>
      toJson(CountDeadLettersResponseSchema, await client.countDeadLetters({ filter }), options) as Json,
    replay: async (filter) =>
      toJson(ReplayDeadLettersResponseSchema, await client.replayDeadLetters({ filter }), options) as Json,
    async exported(filter) {
      const parts: Uint8Array[] = [];
      for await (const { body } of client.exportDeadLetters({ filter })) parts.push(body!.data);
      return Buffer.concat(parts).toString();
    },
  };
}

/** The names of the kinds by their numbers. */
export const words = ["UNSPECIFIED", "WEBHOOK", "CLICK", "PARSER", "RECORD"].map(
  (word) => `DEAD_LETTER_KIND_${word}`,
);

function queryOf({ kind = 0, reason = "", text = "", channel = "", deadLetterId = "" }: Filter): string {
  const fields = { kind: words[kind]!, reason, text, channel, deadLetterId };
  return new URLSearchParams(
    Object.entries(fields).map(([name, value]): [string, string] => [`filter.${name}`, value]),
  ).toString();
}

export function overRest(url: string): Calls {
  const rest = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const response = await fetch(`${url}/v1/${path}`, init);
    expect(response.status, path).toBe(200);
    return response;
  };
  const json = async (path: string, init?: RequestInit): Promise<Json> =>
    (await (await rest(path, init)).json()) as Json;
  return {
    kinds: () => json("dead-letter-kinds"),
    reasons: (kind) => json(`dead-letter-reasons?kind=${kind}`),
    list: (filter) => json(`dead-letters?${queryOf(filter)}`),
    get: (id) => json(`dead-letters/${encodeURIComponent(id)}`),
    count: (filter) => json(`dead-letters:count?${queryOf(filter)}`),
    replay: (filter) =>
      json("dead-letters:replay", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ filter }),
      }),
    async exported(filter) {
      const response = await rest(`dead-letters:export?${queryOf(filter)}`);
      expect(response.headers.get("content-type")).toBe("application/x-ndjson");
      return await response.text();
    },
  };
}

export const protocols: readonly (readonly [string, (url: string) => Calls])[] = [
  ["gRPC", (url) => overRpc(createGrpcTransport({ baseUrl: url }))],
  ["gRPC-Web", (url) => overRpc(createGrpcWebTransport({ baseUrl: url, httpVersion: "1.1" }))],
  ["Connect", (url) => overRpc(createConnectTransport({ baseUrl: url, httpVersion: "1.1" }))],
  ["REST", overRest],
];
