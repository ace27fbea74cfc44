import type { Clock } from "../../../base/async/clock.ts";
import type { ChannelStore } from "../../../store/channels/channels.ts";
import { estimateAudience } from "../audience/estimate.ts";
import type { AudienceSource } from "../audience/source.ts";
import { checkContent } from "../content/check-content.ts";
import type { FunnelEvents, SenderPorts } from "../ports.ts";
import { computeFunnels } from "./funnels.ts";
import type { DeliveryObserver } from "./observer.ts";
import { Preparer } from "./prepare/preparer.ts";
import { type OpenedExchange, Sender } from "./sender.ts";
import { testChannel } from "./test-channel.ts";

export interface DeliveryOptions {
  readonly store: ChannelStore;
  readonly audience: AudienceSource;
  readonly events: FunnelEvents;
  /** Calls one URL over connections that are kept. */
  readonly openExchange: (url: string) => OpenedExchange;
  readonly observer: DeliveryObserver;
  readonly clock: Clock;
  /** A UUID. */
  readonly newRequestId: () => string;
  /** Of this process, for people who look at the store. */
  readonly owner: string;
  /** Requests of one channel under way at a time. Default 32. */
  readonly maxInFlight?: number;
  /** How long what a process that died was sending waits for another one, in milliseconds. Default 60 s. */
  readonly leaseMs?: number;
  /** How often the store is looked at where nothing tells, in milliseconds. Default 1 s. */
  readonly pollMs?: number;
}

export interface Delivery extends Pick<SenderPorts, "checkContent" | "estimate" | "testChannel" | "funnels"> {
  /** Prepares runs and sends their batches. */
  start(): void;
  /** What is under way may end for so long; then it is broken off, and sent again by whoever comes next. */
  stop(drainMs: number): Promise<void>;
}

const defaults = { maxInFlight: 32, leaseMs: 60_000, pollMs: 1_000 } as const;

/** The part of a sender that sends, and what the methods of its service need of it. */
export function createDelivery(options: DeliveryOptions): Delivery {
  const { store, audience, events, clock } = options;
  const sender = new Sender({ ...defaults, ...options });
  const preparer = new Preparer({ ...defaults, ...options });
  let ended: Promise<unknown> = Promise.resolve();
  let listening: Disposable | undefined;
  return {
    start() {
      listening = store.onWork(() => {
        sender.wake();
        preparer.wake();
      });
      ended = Promise.all([sender.run(), preparer.run()]);
    },
    async stop(drainMs) {
      listening?.[Symbol.dispose]();
      preparer.stop();
      sender.stop();
      const forget = clock.after(drainMs, () => sender.abort());
      await ended;
      forget();
    },
    checkContent,
    estimate: (request, signal) =>
      estimateAudience(audience, { ...request, projectId: Number(request.projectId) }, signal),
    testChannel: (request, signal) => testChannel(request, options, signal),
    funnels: (request, signal) => computeFunnels(request, events, clock.now(), signal),
  };
}
