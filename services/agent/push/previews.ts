import { randomBytes } from "node:crypto";
import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { type Task, TaskSchema } from "../../../gen/engage/channel/v1/task_pb.ts";

/** A push that was previewed. */
export interface Preview {
  readonly task: Task;
  readonly projectId: bigint;
  readonly pushIdProperty: string;
  /** The caller who may send it. */
  readonly caller: string;
}

export interface Previews {
  /** Keeps a preview for a while and returns its token. */
  add(preview: Preview): { readonly token: string; readonly endMs: number };
  /** Returns the preview of a token; undefined if it is not known, too old, or of another caller. */
  find(token: string, caller: string): Preview | undefined;
  /** Makes a token invalid. */
  delete(token: string): void;
}

/** A preview is about the users of the moment. */
const lifeMs = 15 * 60_000;
/** The oldest preview of a caller makes room for its next one. */
const maxPreviewsOfCaller = 20;
/** Bounds the memory over all callers. A task has at most the 256 KiB of a request. */
const defaultMaxBytes = 16 * 2 ** 20;

/** A task takes several times its bytes when it is decoded. */
interface Kept extends Omit<Preview, "task"> {
  readonly bytes: Uint8Array;
  readonly endMs: number;
}

/**
 * Creates the previews of this process. They end with it, and other replicas do not have them. When all together are
 * too large, those of the caller who has the most bytes make room, so that no caller removes the few of another.
 */
export function createPreviews(now: () => number, maxBytes: number = defaultMaxBytes): Previews {
  const kept = new Map<string, Kept>();
  const removeEnded = (): void => {
    for (const [token, { endMs }] of kept) {
      if (endMs > now()) return;
      kept.delete(token);
    }
  };
  return {
    add({ task, ...preview }) {
      removeEnded();
      const token = randomBytes(18).toString("base64url");
      const endMs = now() + lifeMs;
      kept.set(token, { ...preview, bytes: toBinary(TaskSchema, task), endMs });
      if (countOf(kept, preview.caller) > maxPreviewsOfCaller) removeOldest(kept, preview.caller);
      for (let use = useOf(kept); use.bytes > maxBytes; use = useOf(kept)) removeOldest(kept, use.largest);
      return { token, endMs };
    },
    find(token, caller) {
      removeEnded();
      const found = kept.get(token);
      if (found?.caller !== caller) return undefined;
      const { bytes, endMs: _, ...preview } = found;
      return { ...preview, task: fromBinary(TaskSchema, bytes) };
    },
    delete: (token) => void kept.delete(token),
  };
}

function countOf(kept: ReadonlyMap<string, Kept>, caller: string): number {
  return [...kept.values()].filter((one) => one.caller === caller).length;
}

interface Use {
  readonly bytes: number;
  /** The caller who has the most bytes. */
  readonly largest: string;
}

function useOf(kept: ReadonlyMap<string, Kept>): Use {
  const byCaller = new Map<string, number>();
  let all = 0;
  for (const { caller, bytes } of kept.values()) {
    all += bytes.length;
    byCaller.set(caller, (byCaller.get(caller) ?? 0) + bytes.length);
  }
  const [largest] = [...byCaller].reduce((most, one) => (one[1] > most[1] ? one : most), ["", 0]);
  return { bytes: all, largest };
}

function removeOldest(kept: Map<string, Kept>, caller: string): void {
  for (const [token, one] of kept) {
    if (one.caller !== caller) continue;
    kept.delete(token);
    return;
  }
}
