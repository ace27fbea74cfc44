/** What agents may push. */
export interface PushSettings {
  /** False: agents preview pushes and send none. */
  readonly allow: boolean;
  /** Pushes in a day of UTC, over all agents. */
  readonly maxPerDay: number;
  /** The largest audience of a push, in users who can receive it. */
  readonly maxUsers: number;
}

/** Begins the names of tasks that agents create: operators see them, and the daily limit counts them. */
export const agentPrefix = "agent: ";
