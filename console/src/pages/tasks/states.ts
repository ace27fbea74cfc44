import { TaskState } from "../../../../gen/engage/channel/v1/task_pb.ts";

/** The states of a task by the words that stand for them in the URL. */
export const stateNames = [
  "draft",
  "scheduled",
  "preparing",
  "sending",
  "done",
  "cancelled",
  "failed",
] as const;

/** As of a badge, whose file needs a browser. */
type Tone = "good" | "warn" | "bad" | "plain";

export type StateName = (typeof stateNames)[number];

const states: Readonly<Record<StateName, { readonly state: TaskState; readonly tone: Tone }>> = {
  draft: { state: TaskState.DRAFT, tone: "plain" },
  scheduled: { state: TaskState.SCHEDULED, tone: "plain" },
  preparing: { state: TaskState.PREPARING, tone: "warn" },
  sending: { state: TaskState.SENDING, tone: "warn" },
  done: { state: TaskState.DONE, tone: "good" },
  cancelled: { state: TaskState.CANCELLED, tone: "plain" },
  failed: { state: TaskState.FAILED, tone: "bad" },
};

/** Returns the state that a word of the URL stands for; undefined for any other text. */
export function stateOf(word: string): TaskState | undefined {
  return stateNames.some((name) => name === word) ? states[word as StateName].state : undefined;
}

export function describeState(state: TaskState): {
  readonly key: `tasks.state.${StateName}`;
  readonly tone: Tone;
} {
  const name = stateNames.find((one) => states[one].state === state) ?? "draft";
  return { key: `tasks.state.${name}`, tone: states[name].tone };
}

/** A run is being prepared or sent. */
export function isRunning(state: TaskState): boolean {
  return state === TaskState.PREPARING || state === TaskState.SENDING;
}

/** The task has no run under way, and one can be started. */
export function mayRun(state: TaskState): boolean {
  return !isRunning(state) && state !== TaskState.CANCELLED;
}

/** The task has something that cancelling ends. */
export function mayCancel(state: TaskState): boolean {
  return isRunning(state) || state === TaskState.DRAFT || state === TaskState.SCHEDULED;
}
