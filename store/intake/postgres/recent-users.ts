import { RecentIds } from "../recent-ids.ts";
import type { BatchProject } from "./batch.ts";
import type { ProjectAnswer, ProjectQuestion } from "./read-batch.ts";

/** What is remembered of the users of each project. It is valid as long as no other loader writes. */
export class RecentUsers {
  readonly #maxEntries: number;
  readonly #projects = new Map<number, ProjectRecent>();

  /** @param maxEntries the number of ids of each kind and project */
  constructor(maxEntries: number) {
    this.#maxEntries = maxEntries;
  }

  of(projectId: number): ProjectRecent {
    const known = this.#projects.get(projectId);
    if (known !== undefined) return known;
    const recent = new ProjectRecent(this.#maxEntries);
    this.#projects.set(projectId, recent);
    return recent;
  }

  clear(): void {
    this.#projects.clear();
  }
}

/** The ids of a project that were used last, with their states. */
export class ProjectRecent {
  readonly accounts: RecentIds;
  readonly visitors: RecentIds;
  /** The number of users; undefined while it is unknown. */
  users: number | undefined;

  constructor(maxEntries: number) {
    this.accounts = new RecentIds(maxEntries);
    this.visitors = new RecentIds(maxEntries);
  }

  /**
   * Returns the answer to a question about nothing but the number of users; undefined for any other.
   * @param hasAllUuids whether uuids need not be asked about
   */
  answer(
    { accounts, visitors, uuids, firstChecks }: ProjectQuestion,
    hasAllUuids: boolean,
  ): ProjectAnswer | undefined {
    const { users } = this;
    const keys = [accounts, visitors, firstChecks, hasAllUuids ? [] : uuids];
    if (users === undefined || keys.some(({ length }) => length > 0)) return undefined;
    return { users, accounts: [], visitors: [], uuids: [], firstChecks: [] };
  }

  /** Remembers what a batch has found out. */
  learn({ users, accounts, visitors }: BatchProject): void {
    this.users = users;
    for (const [id, state] of accounts.learnt) this.accounts.set(id, state);
    for (const [id, state] of visitors.learnt) this.visitors.set(id, state);
  }
}
