import type { Parameters, Statement } from "./parameters.ts";

/**
 * A scan over several shards runs in two steps. Each shard groups its own events; their rows are
 * collected in a table for each such grouping, a stage, whose rows with equal keys are merged before
 * the rest of the statement reads them.
 */
export interface Stage {
  /** The table that the statement of the scan reads. */
  readonly name: string;
  /** The statement that each shard runs. */
  readonly statement: Statement;
}

/** Collects the stages of a scan while it is compiled. */
export class Stages {
  readonly #parameters: Parameters;
  readonly #stages: Stage[] = [];

  constructor(parameters: Parameters) {
    this.#parameters = parameters;
  }

  get all(): readonly Stage[] {
    return this.#stages;
  }

  add(sql: string): string {
    const name = `stage${this.#stages.length}`;
    this.#stages.push({ name, statement: this.#parameters.finish(sql) });
    return name;
  }
}
