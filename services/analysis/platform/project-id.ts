import { AnalysisRefusal, returnCodes } from "../refusal/refusal.ts";
import { quote } from "../rest/reading.ts";
import { type Member, membersOf } from "./members.ts";

/**
 * Gives the members `projectId` of a query, and of the metrics in its `events`,
 * another value and leaves every other byte as it is; a text stays a text, null
 * stays null. A member written several times is given it each time.
 *
 * The platform may read more than that as the id of a project: another spelling
 * of the name, or a member further inside. Such a member has to name the
 * project that the caller was admitted to, and gets the other value too.
 *
 * @param body valid JSON, whose top is an object
 * @param asked the project of the caller's query; left out, only the members named first are looked at
 * @throws AnalysisRefusal for a member that names another project
 */
export function replaceProjectId(body: Uint8Array, projectId: number, asked?: number): Uint8Array {
  // Latin-1 takes every byte to a character and back, so that places are those of bytes.
  const source = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("latin1");
  let result = "";
  let from = 0;
  for (const member of membersOf(source)) {
    const value = source.slice(member.start, member.end);
    if (value === "null") continue;
    if (!isOwn(member)) {
      if (asked === undefined || !isProjectName(member.key)) continue;
      requireProject(member.key, readScalar(value), asked);
    }
    result += source.slice(from, member.start) + (value[0] === '"' ? `"${projectId}"` : String(projectId));
    from = member.end;
  }
  return Buffer.from(result + source.slice(from), "latin1");
}

/** Of the query itself, or of one of its metrics, as the platform's own form has them. */
function isOwn({ key, path, depth, start, end }: Member): boolean {
  if (key !== "projectId" || end === start) return false;
  return depth === 1 || (depth === 3 && path.length === 1 && path[0] === "events");
}

/**
 * A caller's parameters, with the id that a project has at the platform. Tokens
 * are dropped in any spelling. @throws AnalysisRefusal for another project
 */
export function replaceInSearch(search: URLSearchParams, projectId: number, asked: number): URLSearchParams {
  const kept = new URLSearchParams();
  for (const [name, value] of search) {
    if (nameOf(name) === "token") continue;
    if (isProjectName(name)) requireProject(name, value, asked);
    kept.append(name, isProjectName(name) ? String(projectId) : value);
  }
  return kept;
}

function requireProject(name: string, value: unknown, asked: number): void {
  const id = typeof value === "string" && /^\d{1,16}$/.test(value) ? Number(value) : value;
  if (id === asked) return;
  const description = `${quote(value)} is not the project of the query, which is ${asked}`;
  throw new AnalysisRefusal(returnCodes.parameter, `${name}: ${description}`, {
    violations: [{ field: name, description }],
  });
}

/** Lists and objects are no ids. */
function readScalar(text: string): unknown {
  return text === "" ? {} : JSON.parse(Buffer.from(text, "latin1").toString());
}

/** Names that some reader or other may take for `projectId`. */
function isProjectName(name: string): boolean {
  return /^projectids?$/.test(nameOf(name));
}

/** Without what readers of names may pass over: case, width, separators, brackets. */
function nameOf(name: string): string {
  return Buffer.from(name, isLatin1(name) ? "latin1" : "utf8")
    .toString()
    .normalize("NFKC")
    .toLowerCase()
    .replace(/\[.*$/s, "")
    .replace(/[^\p{L}\p{N}]/gu, "");
}

const isLatin1 = (text: string): boolean => /^[\0-\xff]*$/.test(text);
