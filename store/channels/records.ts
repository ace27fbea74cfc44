/** A channel as it is kept. */
export interface StoredChannel {
  /** `c` and a number. */
  readonly channelId: string;
  /** No two channels have the same. */
  readonly name: string;
  readonly projectId: number;
  /** All of the channel, in a form that is the caller's. Secrets in it are kept as they are given. */
  readonly definition: Uint8Array;
  /** 1, and one more with every change. */
  readonly version: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

export type NewChannel = Pick<StoredChannel, "name" | "projectId" | "definition">;

export type ChannelSaved =
  | { readonly kind: "saved"; readonly channel: StoredChannel }
  | { readonly kind: "name_taken" }
  | { readonly kind: "unknown" }
  /** Another version is the present one. */
  | { readonly kind: "stale" };

export type ChannelDeleted =
  | { readonly kind: "deleted" }
  | { readonly kind: "unknown" }
  | { readonly kind: "stale" }
  /** A task that has not ended uses it. */
  | { readonly kind: "in_use"; readonly taskId: string };

/**
 * Where a task stands. `draft` waits to be run, `scheduled` for its next time.
 * While a run is under way it is `preparing`, then `sending`; afterwards
 * `done`, or `scheduled` when there is a next time. `failed`: the last run
 * could not be prepared. `cancelled` is for ever.
 */
export type TaskState = "draft" | "scheduled" | "preparing" | "sending" | "done" | "cancelled" | "failed";

export interface StoredTask {
  /** `t` and a number. */
  readonly taskId: string;
  readonly name: string;
  readonly channelId: string;
  /** Never changes; in a form that is the caller's. */
  readonly definition: Uint8Array;
  readonly state: TaskState;
  /** Why it failed; empty otherwise. */
  readonly failure: string;
  /** 1, and one more with every change. */
  readonly version: number;
  readonly createdAtMs: number;
  readonly nextRunAtMs: number | null;
  /** The latest run. */
  readonly runId: string | null;
}

export interface NewTask extends Pick<StoredTask, "name" | "channelId" | "definition"> {
  /** Its first time, of a task with a schedule. */
  readonly nextRunAtMs: number | null;
}

export type TaskCreated =
  | { readonly kind: "created"; readonly task: StoredTask }
  | { readonly kind: "unknown_channel" };

/** A task whose time has come. */
export interface DueTask extends StoredTask {
  readonly nextRunAtMs: number;
}

/** A page of a list: up to `limit` items (1 to 1000) behind `after`. */
export interface PageRequest {
  readonly limit: number;
  /** `next` of the page before. */
  readonly after?: string;
}

export interface Page<T> {
  readonly items: readonly T[];
  /** Null: there are no more. */
  readonly next: string | null;
}
