import { openHttpServer, type TestHttpServer } from "../../services/webhook/targets/http-server.ts";
import { openTempFolder } from "../../store/inbox/temp-folder.ts";
import { type ClickHouseServer, openClickHouse } from "../clickhouse/server.ts";
import { eventsConfig } from "../events/service.ts";
import { openPostgresServer, type PostgresServer } from "../inbox/postgres-server.ts";
import { openReplicas, type Replicas } from "../shared/replicas.ts";
import { arrivalsAt } from "../webhook/arrivals.ts";
import { secret } from "../webhook/batches.ts";
import type { Engage } from "../webhook/engage.ts";
import { type FaultProxy, openFaultProxy } from "./fault-proxy.ts";

/** Two replicas of the service, PostgreSQL and two shards, with a proxy before each server. */
export interface Cluster extends AsyncDisposable {
  readonly replicas: readonly [Engage, Engage];
  readonly postgres: PostgresServer;
  readonly shards: readonly [ClickHouseServer, ClickHouseServer];
  readonly postgresProxy: FaultProxy;
  readonly shardProxies: readonly [FaultProxy, FaultProxy];
  /** Runs `engage` with the configuration of the replicas, and returns its output. */
  readonly run: Replicas["run"];
  readonly configFile: string;
  /** How often each push id of a webhook has come to the target. */
  readonly arrivals: ReadonlyMap<string, number>;
  /** The push ids of all webhooks which were sent. */
  readonly sentPushIds: Set<string>;
}

export interface ClusterOptions {
  /** The number of projects, whose ids begin with 1. */
  readonly projects: number;
  /** The folder of the second shard. Default: a temporary one. */
  readonly shardFolder?: string;
}

export async function openCluster({ projects, shardFolder }: ClusterOptions): Promise<Cluster> {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(await openTempFolder());
  const postgres = opened.use(await openPostgresServer());
  const first = opened.use(await openClickHouse());
  const second = opened.use(await openClickHouse([], shardFolder));
  const target = opened.use(await openHttpServer());
  const proxyTo = async (url: string): Promise<FaultProxy> => opened.use(await openFaultProxy(url));
  const postgresProxy = await proxyTo(postgres.url);
  const shardProxies = [await proxyTo(first.url), await proxyTo(second.url)] as const;
  const config = configOf({ projects, postgresProxy, shardProxies, target });
  const replicas = opened.use(await openReplicas(folder.path, 2, config));
  const stack = opened.move();
  return {
    replicas: replicas.all as readonly Engage[] as readonly [Engage, Engage],
    postgres,
    shards: [first, second],
    postgresProxy,
    shardProxies,
    run: replicas.run,
    configFile: replicas.configFile,
    arrivals: arrivalsAt(target),
    sentPushIds: new Set(),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

interface Servers {
  readonly projects: number;
  readonly postgresProxy: FaultProxy;
  readonly shardProxies: readonly FaultProxy[];
  readonly target: TestHttpServer;
}

function configOf({ projects, postgresProxy, shardProxies, target }: Servers): object {
  const loopback = { allow: ["127.0.0.0/8"] };
  return {
    ...eventsConfig({ spool: { maxFileBytes: 1_048_576 }, batch: { maxDelayMs: 30, maxBytes: 1_048_576 } }),
    projects: Array.from({ length: projects }, (_, at) => {
      return { id: at + 1, appids: [appidOf(at + 1)], zone: "+00:00" };
    }),
    stores: {
      driver: "shared",
      postgres: { url: postgresProxy.url, maxConnections: 4 },
      clickhouse: { shards: shardProxies.map(({ url }) => url), user: "default", timeoutMs: 10_000 },
    },
    webhook: {
      channels: { demo: { secrets: [{ value: secret }], targets: ["http"] } },
      targets: {
        http: {
          kind: "http",
          url: target.url,
          retry: { minDelayMs: 10, maxDelayMs: 200 },
          breaker: { openMs: 50, maxOpenMs: 200 },
        },
      },
      outbound: loopback,
    },
    channel: { outbound: loopback, concurrency: 4 },
  };
}

/** The appid of a project. */
export const appidOf = (project: number): string => `app-${project}`;
