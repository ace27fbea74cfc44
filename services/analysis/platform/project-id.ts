import { openArray, openObject } from "../../../base/json/bytes.ts";
import { JsonCursor } from "../../../base/json/cursor.ts";
import { asBuffer, textStart } from "../../../base/json/utf8.ts";
import { quote } from "../../../base/text/quote.ts";
import { AnalysisRefusal, returnCodes } from "../refusal/refusal.ts";

/**
 * Replaces the value of the members `projectId` of a query, and of the metrics in its `events`, and leaves all other
 * bytes unchanged. A string stays a string, null stays null. Each of several members with this name is replaced.
 *
 * The platform may read more members as the id of a project: another spelling of the name, or a nested member. Such a
 * member must name the project that the caller may query, and is replaced too.
 *
 * @param body valid JSON, an object
 * @param queryProject the project of the caller's query; if it is left out, other spellings and nested members are not
 * examined
 * @throws AnalysisRefusal for a member that names another project
 */
export function replaceProjectId(body: Uint8Array, projectId: number, queryProject?: number): Uint8Array {
  const source = asBuffer(body);
  const cursor = new JsonCursor(source, Number.POSITIVE_INFINITY);
  const pieces: Uint8Array[] = [];
  let from = 0;
  cursor.at = textStart(source);
  cursor.next();
  walk(cursor, "query", ({ key, isOwn, start, end }) => {
    const value = readScalar(source, start, end);
    if (value === null) return;
    if (!isOwn) {
      if (queryProject === undefined) return;
      requireProject(key, value, queryProject);
    }
    const id = typeof value === "string" ? `"${projectId}"` : String(projectId);
    pieces.push(source.subarray(from, start), Buffer.from(id));
    from = end;
  });
  pieces.push(source.subarray(from));
  return Buffer.concat(pieces);
}

/** The part of a query that a value is. */
type Part = "query" | "events" | "metric" | "other";

/** A member that may name a project. */
interface ProjectMember {
  readonly key: string;
  /** Whether it is `projectId` of the query itself or of one of its metrics, as in the platform's own form. */
  readonly isOwn: boolean;
  readonly start: number;
  readonly end: number;
}

/** Reads a value and reports its nested members whose name may be that of a project id, in their order. */
function walk(cursor: JsonCursor, part: Part, report: (member: ProjectMember) => void): void {
  const first = cursor.bytes[cursor.at];
  if (first === openArray) {
    const inner = part === "events" ? "metric" : "other";
    for (let more = cursor.firstItem(); more; more = cursor.nextItem()) walk(cursor, inner, report);
  } else if (first === openObject) {
    const inner = part === "events" ? "other" : part;
    for (let more = cursor.firstKey(); more; more = cursor.nextKey()) walkMember(cursor, inner, report);
  } else cursor.value();
}

function walkMember(cursor: JsonCursor, part: Part, report: (member: ProjectMember) => void): void {
  const key = cursor.key();
  const start = cursor.at;
  if (!isProjectName(key)) {
    walk(cursor, part === "query" && key === "events" ? "events" : "other", report);
    return;
  }
  const kind = cursor.value();
  const isScalar = kind !== "object" && kind !== "array";
  const isOwn = key === "projectId" && isScalar && (part === "query" || part === "metric");
  report({ key, isOwn, start, end: cursor.at });
}

/**
 * Returns a caller's parameters with the platform's id of the project. Tokens are removed in any spelling.
 * @throws AnalysisRefusal for another project
 */
export function replaceInSearch(
  search: URLSearchParams,
  projectId: number,
  queryProject: number,
): URLSearchParams {
  const replaced = new URLSearchParams();
  for (const [name, value] of search) {
    if (nameOf(name) === "token") continue;
    if (isProjectName(name)) requireProject(name, value, queryProject);
    replaced.append(name, isProjectName(name) ? String(projectId) : value);
  }
  return replaced;
}

function requireProject(name: string, value: unknown, queryProject: number): void {
  const id = typeof value === "string" && /^\d{1,16}$/.test(value) ? Number(value) : value;
  if (id === queryProject) return;
  const description = `${quote(value)} is not the project of the query, which is ${queryProject}`;
  throw new AnalysisRefusal(returnCodes.parameter, `${name}: ${description}`, {
    violations: [{ field: name, description }],
  });
}

/** Returns a scalar. Lists and objects, which are not ids, are returned as empty ones. */
function readScalar(source: Buffer, start: number, end: number): unknown {
  if (source[start] === openArray) return [];
  return source[start] === openObject ? {} : JSON.parse(source.toString("utf8", start, end));
}

/** Whether a parser may take this name for `projectId`. */
function isProjectName(name: string): boolean {
  return /^projectids?$/.test(nameOf(name));
}

/** Returns a name without what parsers may ignore: case, width, separators, brackets. */
function nameOf(name: string): string {
  return name
    .normalize("NFKC")
    .toLowerCase()
    .replace(/\[.*$/s, "")
    .replace(/[^\p{L}\p{N}]/gu, "");
}
