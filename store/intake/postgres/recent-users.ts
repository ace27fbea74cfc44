import { RecentIds } from "../recent-ids.ts";

/** The ids of each project that were used last, with their states. It is valid as long as no other loader writes. */
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
    const recent = { accounts: new RecentIds(this.#maxEntries), visitors: new RecentIds(this.#maxEntries) };
    this.#projects.set(projectId, recent);
    return recent;
  }

  clear(): void {
    this.#projects.clear();
  }
}

export interface ProjectRecent {
  readonly accounts: RecentIds;
  readonly visitors: RecentIds;
}
