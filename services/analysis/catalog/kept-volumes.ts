import type { ProjectVolumes } from "../../../store/events/events.ts";
import { createSharedRuns } from "../cache/shared-runs.ts";
import type { AnalysisProject, CatalogPort } from "../project/project.ts";
import { type CatalogIndex, indexVolumes } from "./index-volumes.ts";

/** A call that reads the catalogue of a project. */
export interface CatalogCall {
  readonly projectId: number;
  readonly project: AnalysisProject;
  readonly port: CatalogPort;
  /** Name of the token or key. */
  readonly caller: string;
  readonly signal: AbortSignal;
}

/** Reads the volumes of projects, and keeps those of each until its data changes. */
export interface KeptVolumes {
  /** Calls at the same time share one read. */
  read(call: CatalogCall): Promise<CatalogIndex>;
}

export function createKeptVolumes(): KeptVolumes {
  const kept = new Map<number, CatalogIndex>();
  const runs = createSharedRuns<CatalogIndex>();
  return {
    async read({ projectId, project, port, caller, signal }) {
      const version = await project.engine.version(projectId);
      const known = kept.get(projectId);
      if (known !== undefined && known.version === version) return known;
      const run = async (own: AbortSignal): Promise<CatalogIndex> => {
        const volumes: ProjectVolumes = await port.volumes({ signal: own, caller });
        const index = await indexVolumes(volumes, port, own);
        kept.set(projectId, index);
        return index;
      };
      return await runs.join(`${projectId} ${version}`, run, signal).result;
    },
  };
}
