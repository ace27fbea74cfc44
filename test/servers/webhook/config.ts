import type { TestHttpServer } from "../../services/webhook/targets/http-server.ts";
import { secret } from "./batches.ts";
import type { Store } from "./stores.ts";

export interface TestSettings {
  readonly target: Pick<TestHttpServer, "url">;
  readonly concurrency?: number;
  /** Further settings of the target. */
  readonly targetSettings?: object;
  /** Further settings of the channel. */
  readonly channel?: object;
  /** Further settings of the inbox. */
  readonly inbox?: object;
  readonly limits?: object;
}

/** engage.yaml of a service with the channels `demo` and `other`, whose messages go to an HTTP server. */
export function configOf(store: Pick<Store, "inbox">, settings: TestSettings): object {
  const { target, concurrency = 8, targetSettings, channel, inbox, limits = {} } = settings;
  const demo = { secrets: [{ value: secret }], targets: ["http"], ...channel };
  return {
    limits,
    log: { access: false },
    webhook: {
      channels: { demo, other: demo },
      targets: {
        http: {
          kind: "http",
          url: target.url,
          concurrency,
          retry: { minDelayMs: 10, maxDelayMs: 200 },
          breaker: { openMs: 50, maxOpenMs: 200 },
          ...targetSettings,
        },
      },
      outbound: { allow: ["127.0.0.1/32"] },
      inbox: { minFreeBytes: 0, ...store.inbox, ...inbox },
    },
  };
}
