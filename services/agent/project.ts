import { z } from "zod";
import { bare, listKnown } from "../../base/text/known-names.ts";
import type { Calls } from "./calls.ts";
import { type Place, readCursor } from "./output.ts";
import { ToolError } from "./tool.ts";

/** Arguments that several tools have. */
export const projectId = z.int().min(1).optional().describe("Project; may be left out when there is one.");
export const cursor = z.string().optional().describe("cursor of the output before, with the same arguments.");

/** Returns the given project, or the only one. @throws ToolError that lists the projects */
export async function projectOf(calls: Calls, given: number | undefined): Promise<bigint> {
  if (given !== undefined) return BigInt(given);
  const { projects } = await calls.catalog.listProjects({});
  const [first] = projects;
  if (first !== undefined && projects.length === 1) return first.projectId;
  const ids = projects.map((project) => String(project.projectId));
  throw new ToolError(`project_id is required, ${listKnown(ids, { write: bare })}`);
}

/** @throws ToolError for a cursor of another tool or of other arguments */
export function placeOf(text: string | undefined, mark: string): Place {
  const place = readCursor(text, mark);
  if (place !== undefined) return place;
  throw new ToolError("cursor belongs to another tool or to other arguments: call the tool without it");
}
