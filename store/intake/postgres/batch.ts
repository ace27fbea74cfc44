import type { ProjectUsers } from "../identity.ts";
import { throwUnannounced } from "./announced.ts";
import type { BatchIds } from "./batch-ids.ts";
import type { BatchUuids } from "./batch-uuids.ts";

/** What a batch has found out about its keys, and what it changes. */
export interface Batch {
  /** The place at which it begins. */
  readonly seq: number;
  readonly projects: Map<number, BatchProject>;
  /** The earliest and the latest time of a uuid; undefined without one. */
  firstMs: number | undefined;
  lastMs: number | undefined;
}

/** The keys of one project. A key which `begin` was not given is an error of the caller. */
export class BatchProject implements ProjectUsers {
  readonly accounts: BatchIds;
  readonly visitors: BatchIds;
  readonly uuids: BatchUuids;
  /** Whether each id is claimed, by event. */
  readonly firstChecks: Map<string, Map<string, boolean>>;
  /** The claims of this batch. */
  readonly newFirstChecks: { readonly event: string; readonly id: string }[] = [];
  /** The number of users, before the batch and now. */
  readonly usersBefore: number;
  users: number;

  constructor(users: number, keys: Pick<BatchProject, "accounts" | "visitors" | "uuids" | "firstChecks">) {
    this.usersBefore = users;
    this.users = users;
    this.accounts = keys.accounts;
    this.visitors = keys.visitors;
    this.uuids = keys.uuids;
    this.firstChecks = keys.firstChecks;
  }

  addUser(): number {
    return ++this.users;
  }

  claimFirstCheck(event: string, id: string): boolean {
    const ids = this.firstChecks.get(event);
    const isClaimed = ids?.get(id) ?? throwUnannounced("first-check id");
    if (isClaimed) return false;
    ids!.set(id, true);
    this.newFirstChecks.push({ event, id });
    return true;
  }
}
