import type { Preparation } from "../../../store/channels/channels.ts";
import { ChannelsUnavailableError } from "../../../store/channels/channels.ts";
import { AudienceUnavailableError } from "../audience/source.ts";
import { InvalidFieldsError } from "../refusals.ts";
import { Bell, type Clock } from "./clock.ts";
import type { DeliveryObserver } from "./observer.ts";
import { PreparationLostError, type PrepareOptions, prepareRun } from "./prepare.ts";

export interface PreparerOptions extends PrepareOptions {
  readonly clock: Clock;
  readonly observer: DeliveryObserver;
  readonly owner: string;
  readonly leaseMs: number;
  readonly pollMs: number;
}

/** Behind a failure that may pass. */
const pauseMs = 5_000;

/** Prepares the runs of all channels, one after another, until it is stopped. */
export class Preparer {
  readonly #options: PreparerOptions;
  readonly #stopping = new AbortController();
  readonly #bell: Bell;

  constructor(options: PreparerOptions) {
    this.#options = options;
    this.#bell = new Bell(options.clock);
  }

  wake(): void {
    this.#bell.ring();
  }

  /** What is being prepared is given back. */
  stop(): void {
    this.#stopping.abort(new Error("stopping"));
    this.wake();
  }

  /** Resolves when it has stopped. */
  async run(): Promise<void> {
    const { store, owner, leaseMs, pollMs, observer } = this.#options;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      let waitMs = pollMs;
      try {
        const held = await store.leasePreparation(owner, leaseMs);
        if (held !== null) waitMs = (await this.#prepare(held)) ? 0 : pauseMs;
      } catch (error) {
        observer.failed("look for runs to prepare", error);
      }
      if (!signal.aborted && waitMs > 0) await this.#bell.wait(waitMs);
    }
  }

  /** False: it was left, to be tried again. */
  async #prepare(held: Preparation): Promise<boolean> {
    const { store, observer } = this.#options;
    const { run, token } = held;
    const lost = new AbortController();
    const forget = this.#keep(token, lost);
    try {
      await prepareRun(held, this.#options, AbortSignal.any([lost.signal, this.#stopping.signal]));
      observer.prepared(run.runId);
      return true;
    } catch (error) {
      if (error instanceof PreparationLostError || lost.signal.aborted) return true;
      if (this.#stopping.signal.aborted || isPassing(error)) {
        if (!this.#stopping.signal.aborted) observer.failed("prepare a run", error);
        await store.releasePreparation(token);
        return false;
      }
      observer.refused(run.runId, error);
      await store.failRun(token, reasonOf(error));
      return true;
    } finally {
      forget();
    }
  }

  /** Prolongs the right to prepare, a third of the lease after the last time. */
  #keep(token: string, lost: AbortController): () => void {
    const { store, clock, leaseMs, observer } = this.#options;
    let isOver = false;
    let forget = (): void => {};
    const prolong = async (): Promise<void> => {
      try {
        const untilMs = await store.extendPreparation(token, leaseMs);
        if (untilMs === null) lost.abort(new PreparationLostError("the run is prepared by somebody else"));
      } catch (error) {
        observer.failed("prolong a preparation", error);
      }
      if (!isOver) forget = clock.after(leaseMs / 3, prolong);
    };
    forget = clock.after(leaseMs / 3, prolong);
    return () => {
      isOver = true;
      forget();
    };
  }
}

function isPassing(error: unknown): boolean {
  return error instanceof AudienceUnavailableError || error instanceof ChannelsUnavailableError;
}

/** What isn't a fault of the task is in the log, not in the task. */
function reasonOf(error: unknown): string {
  return error instanceof InvalidFieldsError ? error.message : "internal error";
}
