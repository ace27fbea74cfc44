import type { LimitedName, PreparedBatch } from "./prepared.ts";

export interface LimitObserver {
  /** Called when a property was dropped because of the limit of properties, once for each project. */
  overLimit(projectId: number, property: string): void;
  /** Called when a name was not added because of the limit of event names or the rate of new names. */
  limited?(name: LimitedName): void;
}

/** Reports limits that loaded records have reached, each once for a project. */
export class LimitReports {
  readonly #observer: LimitObserver;
  readonly #reported = new Set<string>();

  constructor(observer: LimitObserver) {
    this.#observer = observer;
  }

  loaded({ overLimit, limited = [] }: PreparedBatch): void {
    for (const [projectId, { name }] of overLimit) {
      if (this.#isFirst(`${projectId}`)) this.#observer.overLimit(projectId, name);
    }
    for (const name of limited) {
      if (this.#isFirst(`${name.projectId}:${name.reason}`)) this.#observer.limited?.(name);
    }
  }

  #isFirst(key: string): boolean {
    if (this.#reported.has(key)) return false;
    this.#reported.add(key);
    return true;
  }
}
