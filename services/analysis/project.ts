import type { EventStore } from "../../store/events/events.ts";
import type { AnalysisEngine } from "./engine.ts";

/** One project that can be asked about. */
export interface AnalysisProject {
  readonly engine: AnalysisEngine;
  /** For metrics. */
  readonly engineName: "embedded" | "platform";
  /** Imports of cohorts and tags; undefined on an engine that takes none. */
  readonly clusters?: ClusterPort;
}

/** Where cohorts and tags of a project are kept. */
export interface ClusterPort extends Pick<EventStore, "importCluster" | "clusters"> {
  /** The present day in the project's zone, `yyyy-MM-dd`. */
  today(): string;
}
