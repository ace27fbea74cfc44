import type { Clock } from "../../../base/async/clock.ts";
import type { BegunCall, Inbox } from "../../../store/inbox/inbox.ts";

export interface CallMarkerOptions {
  readonly inbox: Pick<Inbox, "begin">;
  readonly clock: Pick<Clock, "after">;
  readonly failed: (error: unknown) => void;
}

/** Delay of marks. Calls that end sooner are not marked, because they are settled soon. */
const delayMs = 10;

interface UrgentMark extends BegunCall {
  readonly resolve: (isHeld: boolean) => void;
}

/**
 * Marks calls as begun in the inbox, so that they count as attempts if the process dies. Calls that begin at about the
 * same time are marked together. A call does not wait for its mark, except for messages whose last holder died: a
 * message that crashes the process each time must run out of attempts.
 */
export class CallMarker {
  readonly #options: CallMarkerOptions;
  readonly #late = new Set<BegunCall>();
  #urgent: UrgentMark[] = [];
  #cancel: (() => void) | undefined;

  constructor(options: CallMarkerOptions) {
    this.#options = options;
  }

  /** Marks the call unless it ends very soon. The returned function must be called at its end. */
  mark(call: BegunCall): () => void {
    this.#late.add(call);
    this.#cancel ??= this.#options.clock.after(delayMs, () => void this.#flush());
    return () => {
      this.#late.delete(call);
      if (this.#late.size === 0) this.close();
    };
  }

  /** Marks the call at once. Resolves with whether its lease is still valid, so that it may begin. */
  markFirst(call: BegunCall): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    if (this.#urgent.push({ ...call, resolve }) === 1) queueMicrotask(() => void this.#flush());
    return promise;
  }

  /** Cancels the timer. */
  close(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  async #flush(): Promise<void> {
    this.close();
    const urgent = this.#urgent;
    const calls = [...urgent, ...this.#late].map(({ token, indexes }) => ({ token, indexes }));
    this.#urgent = [];
    this.#late.clear();
    try {
      const held = await this.#options.inbox.begin(calls);
      for (const [at, { resolve }] of urgent.entries()) resolve(held[at] ?? false);
    } catch (error) {
      this.#options.failed(error);
      for (const { resolve } of urgent) resolve(false);
    }
  }
}
