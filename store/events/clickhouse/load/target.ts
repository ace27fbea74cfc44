import type { ProjectSchema } from "../../schema.ts";
import type { Connection } from "../connection.ts";
import type { Project } from "../projects.ts";

/** Where the rows of one project and batch go. */
export interface Target {
  readonly connection: Connection;
  readonly projectId: number;
  /** The number of the batch, which all its rows have. */
  readonly batch: number;
  /** The schema with the new names of the batch. */
  readonly schema: ProjectSchema;
  /** The rows which are visible before the batch; undefined without any. */
  readonly before: Project | undefined;
  readonly signal: AbortSignal;
}

/** Settings of all inserts. A batch may have rows of any number of months. */
export const insertSettings = {
  input_format_null_as_default: 1,
  input_format_skip_unknown_fields: 1,
  throw_on_max_partitions_per_insert_block: 0,
} as const;
