import type { Clock } from "../../../base/async/clock.ts";
import type { Tracer } from "../../../base/trace/trace.ts";
import type { ChannelStore } from "../../../store/channels/channels.ts";
import { estimateAudience } from "../audience/members.ts";
import type { AudienceSource } from "../audience/source.ts";
import { checkContent } from "../content/check-content.ts";
import type { FunnelEvents, SenderPorts } from "../ports.ts";
import { computeFunnels } from "./funnels.ts";
import type { DeliveryObserver } from "./observer.ts";
import { Preparer } from "./prepare/preparer.ts";
import { previewMessage } from "./preview-message.ts";
import { type OpenedExchange, Sender } from "./sender.ts";
import { testChannel } from "./test-channel.ts";

export interface DeliveryOptions {
  readonly store: ChannelStore;
  readonly audience: AudienceSource;
  readonly events: FunnelEvents;
  /** Opens kept connections to one URL. */
  readonly openExchange: (url: string) => OpenedExchange;
  readonly observer: DeliveryObserver;
  readonly clock: Clock;
  /** Returns a new UUID. */
  readonly newRequestId: () => string;
  /** Names this process in the store, for people. */
  readonly owner: string;
  /** Requests of one channel in flight at a time. Default 32. */
  readonly maxInFlight?: number;
  /** How long the batches of a process that died stay leased, in milliseconds. Default 60 s. */
  readonly leaseMs?: number;
  /** How often to poll the store when it gives no notice of work, in milliseconds. Default 1 s. */
  readonly pollMs?: number;
  /** Continues the traces of runs. Default: they are only passed on. */
  readonly tracer?: Tracer | undefined;
}

export interface Delivery
  extends Pick<SenderPorts, "checkContent" | "estimate" | "testChannel" | "previewMessage" | "funnels"> {
  /** Starts to prepare runs and to send their batches. */
  start(): void;
  /**
   * Stops. Requests in flight may end within `drainMs`; then they are aborted, and another process sends them again.
   */
  stop(drainMs: number): Promise<void>;
}

const defaults = { maxInFlight: 32, leaseMs: 60_000, pollMs: 1_000 } as const;

/**
 * Creates the part of ChannelSender that prepares runs and sends their batches.
 *
 * `prepare/` reads the audience of a run and stores its batches, page by page. Meanwhile `sender.ts` finds channels
 * with due batches and runs a lane (`lane.ts`) for each: it leases batches, calls the receiver (`call/`) and settles
 * the outcomes. `attempts.ts` decides when: it waits for the rate and marks attempts. `leases.ts` extends the leases of
 * all batches in flight.
 */
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
    previewMessage: (request, signal) => previewMessage(request, options, signal),
    funnels: (request, signal) => computeFunnels(request, events, clock.now(), signal),
  };
}
