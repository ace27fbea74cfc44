import type { Clock } from "../../../base/async/clock.ts";
import type { BegunCall, Inbox } from "../../../store/inbox/inbox.ts";

export interface BeginNotesOptions {
  readonly inbox: Pick<Inbox, "begin">;
  readonly clock: Pick<Clock, "after">;
  readonly failed: (error: unknown) => void;
}

/** Calls that end sooner are settled before a note of them would be of use. */
const delayMs = 10;

interface Note extends BegunCall {
  readonly resolve: (isHeld: boolean) => void;
}

/**
 * Notes in the inbox which calls have begun, so that these count as attempts when the
 * process dies. Calls that begin at about the same time are noted together. A call is not
 * held up by its note; only of messages whose last holder vanished it is awaited, so that
 * one that ends the process each time is given up in the end.
 */
export class BeginNotes {
  readonly #options: BeginNotesOptions;
  readonly #late = new Set<BegunCall>();
  #urgent: Note[] = [];
  #cancel: (() => void) | undefined;

  constructor(options: BeginNotesOptions) {
    this.#options = options;
  }

  /** Notes the call unless it ends very soon. The function returned says that it has ended. */
  note(call: BegunCall): () => void {
    this.#late.add(call);
    this.#cancel ??= this.#options.clock.after(delayMs, () => void this.#flush());
    return () => {
      this.#late.delete(call);
      if (this.#late.size === 0) this.close();
    };
  }

  /** Resolves when the note is kept: whether the messages are still held by their lease and may be sent. */
  noteFirst(call: BegunCall): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    if (this.#urgent.push({ ...call, resolve }) === 1) queueMicrotask(() => void this.#flush());
    return promise;
  }

  /** Ends its timer. */
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
