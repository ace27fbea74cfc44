import type { Clock } from "../../../../base/async/clock.ts";
import { Notifier } from "../../../../base/async/notifier.ts";
import { InvalidFieldsError } from "../../../../base/rpc/invalid-fields.ts";
import type { Preparation } from "../../../../store/channels/channels.ts";
import { ChannelsUnavailableError } from "../../../../store/channels/channels.ts";
import { AudienceUnavailableError } from "../../audience/source.ts";
import type { DeliveryObserver } from "../observer.ts";
import { PreparationLostError, type PrepareOptions, prepareRun } from "./prepare.ts";

export interface PreparerOptions extends PrepareOptions {
  readonly clock: Clock;
  readonly observer: DeliveryObserver;
  readonly owner: string;
  readonly leaseMs: number;
  readonly pollMs: number;
}

/** Pause after a temporary failure; meanwhile other runs are prepared. */
const pauseMs = 5_000;
/** Runs that are prepared at a time, so that a large audience delays no small one; a million users take up to 20 MB. */
const maxAtOnce = 4;

/** Prepares the runs of all channels until it is stopped, the oldest first and a few at a time. */
export class Preparer {
  readonly #options: PreparerOptions;
  readonly #stopping = new AbortController();
  readonly #changes: Notifier;

  constructor(options: PreparerOptions) {
    this.#options = options;
    this.#changes = new Notifier(options.clock);
  }

  wake(): void {
    this.#changes.notify();
  }

  /** Stops, and releases the runs that it is preparing. */
  stop(): void {
    this.#stopping.abort(new Error("stopping"));
    this.wake();
  }

  /** Resolves when it has stopped. */
  async run(): Promise<void> {
    const { store, owner, leaseMs, pollMs, observer } = this.#options;
    const { signal } = this.#stopping;
    const underWay = new Set<Promise<void>>();
    while (!signal.aborted) {
      let waitMs = pollMs;
      try {
        const held = underWay.size < maxAtOnce ? await store.leasePreparation(owner, leaseMs) : null;
        if (held !== null) {
          const work = this.#prepare(held).finally(() => {
            underWay.delete(work);
            this.wake();
          });
          underWay.add(work);
          waitMs = 0;
        }
      } catch (error) {
        observer.failed("look for runs to prepare", error);
      }
      if (!signal.aborted && waitMs > 0) await this.#changes.wait(waitMs);
    }
    await Promise.all(underWay);
  }

  async #prepare(held: Preparation): Promise<void> {
    const { observer } = this.#options;
    const lost = new AbortController();
    const stopExtending = this.#keepLease(held.token, lost);
    try {
      await prepareRun(held, this.#options, AbortSignal.any([lost.signal, this.#stopping.signal]));
      observer.prepared(held.run.runId);
    } catch (error) {
      const isLost = error instanceof PreparationLostError || lost.signal.aborted;
      if (!isLost) await this.#release(held, error);
    } finally {
      stopExtending();
    }
  }

  /** Releases a preparation so that it is retried later, or fails its run. */
  async #release({ run, token }: Preparation, error: unknown): Promise<void> {
    const { store, observer } = this.#options;
    const { signal } = this.#stopping;
    try {
      if (!signal.aborted && !isTemporary(error)) {
        observer.refused(run.runId, error);
        await store.failRun(token, reasonOf(error));
        return;
      }
      if (!signal.aborted) observer.failed("prepare a run", error);
      await store.releasePreparation(token, signal.aborted ? 0 : pauseMs);
    } catch (failure) {
      observer.failed("release a preparation", failure);
    }
  }

  /** Extends the lease of the preparation each time after a third of it. Returns the function that stops this. */
  #keepLease(token: string, lost: AbortController): () => void {
    const { store, clock, leaseMs, observer } = this.#options;
    let isOver = false;
    let cancelTimer = (): void => {};
    const extend = async (): Promise<void> => {
      try {
        const untilMs = await store.extendPreparation(token, leaseMs);
        if (untilMs === null) lost.abort(new PreparationLostError("another process prepares the run"));
      } catch (error) {
        observer.failed("extend a preparation", error);
      }
      if (!isOver) cancelTimer = clock.after(leaseMs / 3, extend);
    };
    cancelTimer = clock.after(leaseMs / 3, extend);
    return () => {
      isOver = true;
      cancelTimer();
    };
  }
}

function isTemporary(error: unknown): boolean {
  return error instanceof AudienceUnavailableError || error instanceof ChannelsUnavailableError;
}

/** Returns the failure for the task. Faults that are not the task's are only logged. */
function reasonOf(error: unknown): string {
  return error instanceof InvalidFieldsError ? error.message : "internal error";
}
