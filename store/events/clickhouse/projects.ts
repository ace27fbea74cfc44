import { emptySchema } from "../events.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { LedgerDeletion, ProjectHead, ProjectState } from "../ledger/state.ts";
import type { ProjectSchema } from "../schema.ts";
import type { ProjectSnapshot } from "./layout.ts";

/** A snapshot, and what is being removed from the project. */
export interface Project extends ProjectSnapshot {
  readonly deletions: readonly LedgerDeletion[];
  readonly removedProperties: readonly number[];
  /** Grows when names are removed. */
  readonly removals: number;
}

/** What this process knows of projects: as the ledger has them, or had them a moment ago. */
export class Projects {
  readonly #ledger: Ledger;
  readonly #known = new Map<number, Project>();

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** Returns the schema as it was read last. */
  schema(projectId: number): ProjectSchema {
    return this.#known.get(projectId)?.schema ?? emptySchema;
  }

  /** Returns the number of removals of names as it was read last. */
  removals(projectId: number): number {
    return this.#known.get(projectId)?.removals ?? 0;
  }

  /** Returns the project as of now; undefined without data. */
  async snapshot(projectId: number): Promise<Project | undefined> {
    const head = await this.#ledger.call("readHead", projectId);
    return head === undefined ? undefined : await this.#update(head);
  }

  /** Returns all projects as of now, by id. */
  async snapshots(): Promise<readonly Project[]> {
    const projects: Project[] = [];
    for (const head of await this.#ledger.call("readHeads")) projects.push(await this.#update(head));
    return projects;
  }

  async #update(head: ProjectHead): Promise<Project> {
    const { projectId } = head;
    const known = this.#known.get(projectId);
    if (known?.generation === head.generation) return this.#keep({ ...known, ...dataOf(head, known.schema) });
    const state = (await this.#ledger.call("readState", projectId))!;
    return this.#keep(projectOf(state));
  }

  /** Replies of the ledger may arrive in another order than they were sent. */
  #keep(project: Project): Project {
    const { projectId, schema, watermark, hiddenBatches } = project;
    const known = this.#known.get(projectId);
    const isSame =
      known?.schema.version === schema.version &&
      known.watermark === watermark &&
      known.hiddenBatches.length === hiddenBatches.length;
    if (isSame) return known;
    if (known === undefined || known.schema.version <= schema.version) this.#known.set(projectId, project);
    return project;
  }
}

function dataOf(
  { version, watermark, hiddenBatches, mayHaveUpdatable }: ProjectHead,
  schema: ProjectSchema,
): Pick<Project, "schema" | "watermark" | "hiddenBatches" | "mayHaveUpdatable"> {
  const same = schema.version === version ? schema : { ...schema, version };
  return { schema: same, watermark, hiddenBatches, mayHaveUpdatable };
}

function projectOf(state: ProjectState): Project {
  const { projectId, version, generation, watermark, hiddenBatches, events, properties } = state;
  const { removedEvents, removedProperties, dropped, deletions, cohorts } = state;
  return {
    projectId,
    schema: {
      version,
      events: new Map(events.map((event) => [event.name, event])),
      properties: new Map(properties.map((property) => [`${property.table}:${property.name}`, property])),
    },
    generation,
    watermark,
    hiddenBatches,
    mayHaveUpdatable: state.mayHaveUpdatable,
    hiddenEvents: removedEvents,
    removedProperties,
    removals: state.removals,
    dropped,
    deletions,
    cohorts,
  };
}
