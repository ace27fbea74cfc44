/** A stored channel. */
export interface StoredChannel {
  /** `c` and a number. */
  readonly channelId: string;
  /** Unique among channels. */
  readonly name: string;
  readonly projectId: number;
  /** The whole channel in the caller's encoding. Secrets in it are stored as given. */
  readonly definition: Uint8Array;
  /** 1, incremented by every change. */
  readonly version: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

export type NewChannel = Pick<StoredChannel, "name" | "projectId" | "definition">;

export type ChannelSaved =
  | { readonly kind: "saved"; readonly channel: StoredChannel }
  | { readonly kind: "name_taken" }
  | { readonly kind: "unknown" }
  /** The present version is another one. */
  | { readonly kind: "stale" };

export type ChannelDeleted =
  | { readonly kind: "deleted" }
  | { readonly kind: "unknown" }
  | { readonly kind: "stale" }
  /** An unfinished task uses the channel. */
  | { readonly kind: "in_use"; readonly taskId: string };

/**
 * The state of a task. `draft` waits to be run, `scheduled` for its next time. During a run it is
 * `preparing`, then `sending`; afterwards `done`, or `scheduled` when there is a next time. `failed`:
 * the last run could not be prepared. `cancelled` is permanent.
 */
export type TaskState = "draft" | "scheduled" | "preparing" | "sending" | "done" | "cancelled" | "failed";

export interface StoredTask {
  /** `t` and a number. */
  readonly taskId: string;
  readonly name: string;
  readonly channelId: string;
  /** Never changes; in the caller's encoding. */
  readonly definition: Uint8Array;
  readonly state: TaskState;
  /** Why the task failed; empty otherwise. */
  readonly failure: string;
  /** 1, incremented by every change. */
  readonly version: number;
  readonly createdAtMs: number;
  readonly nextRunAtMs: number | null;
  /** The latest run. */
  readonly runId: string | null;
}

export interface TaskFilter {
  readonly channelId?: string;
  /** Tasks in one of these states; empty or undefined: in any. */
  readonly states?: readonly TaskState[];
  /** Whether to read no definitions, which may be long: they are returned empty. */
  readonly withoutDefinition?: boolean;
}

export interface NewTask extends Pick<StoredTask, "name" | "channelId" | "definition"> {
  /** The first time of a task with a schedule. */
  readonly nextRunAtMs: number | null;
}

export type TaskCreated =
  | { readonly kind: "created"; readonly task: StoredTask }
  | { readonly kind: "unknown_channel" };

/** A task whose time has come. */
export interface DueTask extends StoredTask {
  readonly nextRunAtMs: number;
}

/** A page of a list: up to `limit` items (1 to 1000) after `after`. */
export interface PageRequest {
  readonly limit: number;
  /** The `next` of the previous page. */
  readonly after?: string;
}

export interface Page<T> {
  readonly items: readonly T[];
  /** Null at the end. */
  readonly next: string | null;
}
