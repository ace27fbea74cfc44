import { randomBytes } from "node:crypto";
import type { Task } from "../../../gen/engage/channel/v1/task_pb.ts";

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
/** Bounds the memory: the oldest previews make room. */
const maxPreviews = 200;

/** Creates the previews of this process. They end with it, and other replicas do not have them. */
export function createPreviews(now: () => number): Previews {
  const kept = new Map<string, Preview & { readonly endMs: number }>();
  return {
    add(preview) {
      for (const [token, { endMs }] of kept) {
        if (endMs > now() && kept.size < maxPreviews) break;
        kept.delete(token);
      }
      const token = randomBytes(18).toString("base64url");
      const endMs = now() + lifeMs;
      kept.set(token, { ...preview, endMs });
      return { token, endMs };
    },
    find(token, caller) {
      const found = kept.get(token);
      return found !== undefined && found.endMs > now() && found.caller === caller ? found : undefined;
    },
    delete: (token) => void kept.delete(token),
  };
}
