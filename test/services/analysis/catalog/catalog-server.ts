import { type Client, createClient, type Transport } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport } from "@connectrpc/connect-node";
import { sha256Hex } from "../../../../base/text/digest.ts";
import { createEmbeddedProject } from "../../../../cmd/serve/analysis/embedded-project.ts";
import { keyOf } from "../../../../cmd/serve/gateway-ports.ts";
import { createAccessLog } from "../../../../gateway/access-log.ts";
import { createAuthorizer } from "../../../../gateway/auth.ts";
import { createGateway } from "../../../../gateway/gateway.ts";
import { defaultLimits } from "../../../../gateway/limits.ts";
import { serve } from "../../../../gateway/methods.ts";
import { createMetrics } from "../../../../gateway/metrics/metrics.ts";
import { Catalog } from "../../../../gen/engage/analysis/v1/catalog_pb.ts";
import { createAdmission } from "../../../../services/analysis/admission/admission.ts";
import { createTokenList } from "../../../../services/analysis/admission/tokens.ts";
import { createCatalog } from "../../../../services/analysis/catalog/catalog.ts";
import type { AnalysisObserver } from "../../../../services/analysis/observer.ts";
import type { AnalysisProject } from "../../../../services/analysis/project/project.ts";
import { openScanned } from "../../../conformance/events/scan-world.ts";
import { noonMs, type OpenedStore } from "../../../conformance/events/world.ts";
import { createDuckDbWorld } from "../../../store/events/duckdb/duckdb-world.ts";
import { projectOf } from "../describe/described.ts";
import { createLog } from "../log.ts";
import { fakeEngine, tokens } from "../proxy-server.ts";

/** A key for every method, and one for none of the catalogue's. */
export const keys = { all: "key-of-all", other: "key-of-others" };

export interface CatalogServer extends AsyncDisposable {
  readonly url: string;
  readonly opened: OpenedStore;
  readonly logged: () => string;
  /** Operations with their outcomes. */
  readonly finished: string[];
  /** How often the store was read. */
  readonly reads: { volumes: number; values: number };
  client(protocol: "grpc" | "connect", key?: string): Client<typeof Catalog>;
  /** Gets a path below `/v1/projects`. */
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<{ status: number; body: unknown }>;
}

/** The service on loopback, with the events of the scans in project 1, and a project 2 of a platform. */
export async function openCatalogServer(declared: object = {}, zone = "+00:00"): Promise<CatalogServer> {
  const opened = await openScanned(createDuckDbWorld);
  const { store } = opened;
  const reads = { volumes: 0, values: 0 };
  const counted: typeof store = {
    ...store,
    volumes(caller, signal) {
      reads.volumes++;
      return store.volumes(caller, signal);
    },
    topValues(wanted, signal) {
      reads.values++;
      return store.topValues(wanted, signal);
    },
  };
  const definitions = projectOf(declared, zone);
  const own = { store: counted, gate: () => undefined, project: definitions, zone, now: () => noonMs };
  const projects = new Map<number, AnalysisProject>([
    [2, { engine: fakeEngine({}), engineName: "platform" }],
    [1, createEmbeddedProject(own)],
  ]);
  const finished: string[] = [];
  const observer: AnalysisObserver = {
    started: () => undefined,
    resultSent: () => undefined,
    finished: (operation, engine, outcome) => void finished.push(`${operation} ${engine} ${outcome}`),
  };
  const list = createTokenList(tokens);
  const admission = createAdmission({
    projects,
    tokens: list,
    rateLimit: () => undefined,
    monotonic: () => 0,
    keyOf,
  });
  const { logger, text } = createLog();
  const gateway = createGateway({
    services: [serve(Catalog, createCatalog({ admission, observer }))],
    limits: defaultLimits,
    authorize: createAuthorizer({
      mode: "keys",
      keys: [
        { name: "all", sha256: sha256Hex(keys.all), methods: ["*"] },
        { name: "other", sha256: sha256Hex(keys.other), methods: ["proto.Parser/*"] },
      ],
    }),
    observers: [createAccessLog(logger)],
    reportFault: (error) => logger.error({ err: error }, "call failed"),
    pages: { checks: () => ({}), metrics: createMetrics({ process: false }), reportFault: () => undefined },
  });
  const { port } = await gateway.listen("127.0.0.1", 0);
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    opened,
    logged: text,
    finished,
    reads,
    client: (protocol, key = keys.all) => createClient(Catalog, transportOf(url, protocol, key)),
    async get(path, headers = { authorization: "Bearer token-one" }) {
      const response = await fetch(`${url}/v1/projects${path}`, { headers });
      return { status: response.status, body: await response.json() };
    },
    async [Symbol.asyncDispose]() {
      await gateway.drain(0);
      await opened[Symbol.asyncDispose]();
    },
  };
}

function transportOf(baseUrl: string, protocol: "grpc" | "connect", key: string): Transport {
  const authenticate: Parameters<typeof createGrpcTransport>[0]["interceptors"] = [
    (next) => (request) => {
      request.header.set("x-api-key", key);
      return next(request);
    },
  ];
  return protocol === "grpc"
    ? createGrpcTransport({ baseUrl, interceptors: authenticate })
    : createConnectTransport({ baseUrl, httpVersion: "1.1", interceptors: authenticate, useHttpGet: true });
}
