import type { Inbox, InboxRetention } from "../../../store/inbox/inbox.ts";

export interface OpenOptions {
  readonly now: () => number;
  readonly clockMs: () => number;
  readonly retention?: Partial<InboxRetention>;
}

/** A place that begins empty and outlasts the inboxes opened in it. */
export interface InboxStore extends AsyncDisposable {
  open(options: OpenOptions): Promise<Inbox>;
  /** Changes what is stored while no inbox is open; `{name}` is a table. */
  tamper(sql: string): Promise<void>;
}

/** Opens an inbox in a fresh store. */
export type OpenWorld = (retention?: Partial<InboxRetention>) => Promise<World>;

export interface World extends AsyncDisposable {
  readonly inbox: Inbox;
  readonly clock: Clock;
  /** Ends the inbox and opens another one on what it has left. */
  reopen(): Promise<void>;
  /** Ends the inbox, changes what it has left, and opens another one on it. */
  tamper(sql: string): Promise<void>;
}

/** A clock that stands still until it is moved. */
export class Clock {
  ms = 1_700_000_000_000;
  /** How far the clock that people see has been set. */
  setMs = 0;
  readonly now = (): number => this.ms + this.setMs;
  readonly clockMs = (): number => this.ms;
}

export async function openWorld(store: InboxStore, retention: Partial<InboxRetention> = {}): Promise<World> {
  const clock = new Clock();
  const options = { now: clock.now, clockMs: clock.clockMs, retention };
  let inbox = await store.open(options);
  return {
    clock,
    get inbox() {
      return inbox;
    },
    async reopen() {
      await inbox[Symbol.asyncDispose]();
      inbox = await store.open(options);
    },
    async tamper(sql) {
      await inbox[Symbol.asyncDispose]();
      await store.tamper(sql);
      inbox = await store.open(options);
    },
    async [Symbol.asyncDispose]() {
      await inbox[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
    },
  };
}
