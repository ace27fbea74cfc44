import type { Interceptor, ServiceImpl } from "@connectrpc/connect";
import { onTestFinished, vi } from "vitest";
import type { CallRecord } from "../../gateway/call/record.ts";
import { createGateway, type Gateway } from "../../gateway/gateway.ts";
import type { Authorize } from "../../gateway/gateway-context.ts";
import type { TlsOptions } from "../../gateway/http/server-options.ts";
import { defaultLimits, type GatewayLimits } from "../../gateway/limits.ts";
import { type ServeOptions, serve } from "../../gateway/methods.ts";
import { createMetrics } from "../../gateway/metrics/metrics.ts";
import type { UnknownMembers } from "../../gateway/rest/json-message.ts";
import type { SitesOptions } from "../../gateway/sites/sites.ts";
import { Failing, Library } from "./testproto/gen/engage/test/v1/library_pb.ts";
import { createFailing, createLibrary, returnCodes, type Seen } from "./testproto/library.ts";

export interface TestGateway {
  readonly gateway: Gateway;
  readonly port: number;
  readonly url: string;
  readonly seen: Seen;
  readonly faults: readonly unknown[];
  readonly started: readonly CallRecord[];
  readonly finished: readonly CallRecord[];
  /** Resolves to the records of the calls once all that began, at least this many, have finished. */
  settled(calls?: number): Promise<readonly CallRecord[]>;
  /** Value of one sample of `/metrics`, zero when there is none. */
  metric(sample: string): Promise<number>;
}

export interface TestGatewayOptions {
  readonly lanes?: boolean;
  readonly limits?: Partial<GatewayLimits>;
  readonly tls?: TlsOptions;
  readonly authorize?: Authorize;
  readonly interceptors?: readonly Interceptor[];
  /** Handlers instead of the test service's own. */
  readonly library?: Partial<ServiceImpl<typeof Library>>;
  readonly drainMs?: number;
  readonly unknownMembers?: UnknownMembers;
  readonly sites?: Partial<SitesOptions>;
  /** Checks heads of REST requests to the test service. */
  readonly admit?: ServeOptions<typeof Library>["admit"];
  /** Checks callers of the other protocols. */
  readonly admitCaller?: ServeOptions<typeof Library>["admitCaller"];
}

/** Every protocol over the test services on a port of loopback. It must be drained by who opens it. */
export async function openGateway(options: TestGatewayOptions = {}): Promise<TestGateway> {
  const seen: Seen = { contexts: [] };
  const faults: unknown[] = [];
  const started: CallRecord[] = [];
  const finished: CallRecord[] = [];
  const metrics = createMetrics({ process: false });
  const gateway = createGateway({
    services: [
      serve(
        Library,
        { ...createLibrary(seen, { count: 0 }), ...options.library },
        {
          ...(options.admit && { admit: options.admit }),
          ...(options.admitCaller && { admitCaller: options.admitCaller }),
        },
      ),
      serve(Failing, createFailing(), { returnCodes }),
    ],
    limits: { ...defaultLimits, ...options.limits },
    authorize: options.authorize ?? (() => {}),
    interceptors: options.interceptors ?? [],
    observers: [
      metrics.observer,
      {
        started: (record) => void started.push(record),
        finished: (record) => void finished.push(record),
      },
    ],
    reportFault: (error) => void faults.push(error),
    pages: { checks: () => ({}), metrics, reportFault: (error) => void faults.push(error) },
    lanes: options.lanes ?? true,
    unknownMembers: options.unknownMembers ?? "refuse",
    sites: { hosts: [], cors: [], asksForKeys: false, ...options.sites },
    ...(options.tls && { tls: options.tls }),
  });
  const { port } = await gateway.listen("127.0.0.1", 0);
  return {
    gateway,
    port,
    url: `${options.tls ? "https" : "http"}://127.0.0.1:${port}`,
    seen,
    faults,
    started,
    finished,
    settled: (calls = 1) =>
      vi.waitFor(() => {
        if (finished.length < calls || finished.length !== started.length) {
          throw new Error(
            `${finished.length} of ${started.length} calls have finished, ${calls} are expected`,
          );
        }
        return finished;
      }, settledWithin),
    async metric(sample) {
      const line = (await metrics.text()).split("\n").find((text) => text.startsWith(`${sample} `));
      return Number(line?.slice(sample.length + 1) ?? 0);
    },
  };
}

/** The same, drained at the end of the test. */
export async function openGatewayForTest(options: TestGatewayOptions = {}): Promise<TestGateway> {
  const server = await openGateway(options);
  onTestFinished(() => server.gateway.drain(options.drainMs ?? 0));
  return server;
}

const settledWithin = { timeout: 10_000, interval: 5 };
