import { ConnectError, createClient, type Interceptor, type Transport } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { sha256Hex } from "../../../base/text/digest.ts";
import { loadConfig } from "../../../cmd/config/config.ts";
import { startServer } from "../../../cmd/serve/server.ts";
import { SavedQueries, type SavedQuery } from "../../../gen/engage/analysis/v1/saved_queries_pb.ts";
import { folderWith } from "../../cmd/config/load.ts";
import { openForAll } from "../../open-for-all.ts";

const settings = {
  listen: "127.0.0.1:0",
  log: { level: "silent" },
  projects: [
    { id: 1, appids: ["a"] },
    { id: 2, appids: ["b"] },
  ],
  analysis: {
    tokens: [
      { name: "one", token: "token-one", projects: [1] },
      { name: "two", token: "token-two", projects: [2] },
    ],
  },
  auth: {
    mode: "keys",
    keys: [
      { name: "write", sha256: sha256Hex("key-write"), methods: ["*"] },
      { name: "read", sha256: sha256Hex("key-read"), methods: ["*"], access: "read" },
    ],
  },
};

const withKey =
  (key: string): Interceptor =>
  (next) =>
  (request) => {
    request.header.set("x-api-key", key);
    return next(request);
  };

type Open = (baseUrl: string, interceptors: Interceptor[]) => Transport;

export const grpc: Open = (baseUrl, interceptors) => createGrpcTransport({ baseUrl, interceptors });
export const kinds: readonly (readonly [string, Open])[] = [
  ["gRPC", grpc],
  [
    "gRPC-Web",
    (baseUrl, interceptors) => createGrpcWebTransport({ baseUrl, httpVersion: "1.1", interceptors }),
  ],
  [
    "Connect",
    (baseUrl, interceptors) => createConnectTransport({ baseUrl, httpVersion: "1.1", interceptors }),
  ],
];

/** A request with members in an unusual order, and a number that no double holds. */
export function requestOf(
  projectId = 1,
  filts = '[{"columnName":"n","tableType":"event","comparator":"equal","ftv":[9007199254740993]}]',
) {
  return `{ "events": [{"type":"normal","eventName":"login","analysis":"TOTAL_TIMES","filts":${filts}}],
  "eventView": {"startTime":"2026-11-01","endTime":"2026-11-02","timeParticleSize":"day"}, "projectId": ${projectId} }`;
}

let names = 0;
export const newName = (): string => `query ${++names}`;

export type Changes = Partial<
  Pick<SavedQuery, "queryId" | "projectId" | "name" | "description" | "requestJson" | "etag">
>;

export async function faultOf(call: Promise<unknown>): Promise<ConnectError> {
  return ConnectError.from(await call.then(() => undefined).catch((error: unknown) => error));
}

/** Opens a server for the tests of a file; to be called while it is loaded. */
export function openSavedQueries() {
  const server = openForAll(async (onEnd) => {
    const cwd = folderWith({ "engage.yaml": JSON.stringify(settings) }, onEnd);
    let running = await startServer(loadConfig({ env: {}, cwd }).config);
    onEnd(() => running.stop());
    return {
      url: () => running.address.url,
      async restart() {
        await running.stop();
        running = await startServer(loadConfig({ env: {}, cwd }).config);
      },
    };
  });
  const clientOf = (open: Open = grpc, key = "key-write") =>
    createClient(SavedQueries, open(server().url(), [withKey(key)]));
  const save = async (changes: Changes = {}, projectId = 1n): Promise<SavedQuery> => {
    const savedQuery = { name: newName(), requestJson: requestOf(Number(projectId)), ...changes };
    return (await clientOf().createSavedQuery({ projectId, savedQuery })).savedQuery!;
  };
  return { server, clientOf, save };
}
