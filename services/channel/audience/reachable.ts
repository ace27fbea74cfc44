import { KeySet } from "./key-set.ts";
import { keyLanes, writePushIdKey, writeUserKey } from "./keys.ts";
import type { AudienceMember } from "./source.ts";

/** Finds the members of an audience that have a push id of their own. */
export class ReachableMembers {
  /** The key of the member that was added last; valid until the next `add`. */
  readonly key = new Int32Array(keyLanes);
  readonly #seen = new KeySet();

  /** Returns false for a member without a push id, or with one that an earlier member has. */
  add({ pushId = "", userId }: AudienceMember): boolean {
    if (pushId.trim() === "") return false;
    if (userId === undefined) return this.#seen.add(writePushIdKey(pushId, this.key));
    // The source yields each number of a user once.
    writeUserKey(userId, this.key);
    return true;
  }
}
