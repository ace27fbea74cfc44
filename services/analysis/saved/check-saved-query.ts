import { describeJsonExcess, findJsonExcess } from "../../../base/json/bounds.ts";
import { parseExactJson } from "../../../base/json/exact-numbers.ts";
import { limitsOf } from "../../../base/protobuf/limits.ts";
import { under } from "../../../base/rpc/invalid-fields.ts";
import type { Violation } from "../../../base/rpc/violation.ts";
import { checkDisplayName, checkText, type Problem } from "../../../base/text/check-text.ts";
import { exactCountOf } from "../../../base/text/count.ts";
import { quoteText } from "../../../base/text/quote.ts";
import { firstLine } from "../../../base/text/system-error.ts";
import { type EventQuery, EventQuerySchema } from "../../../gen/engage/analysis/v1/query_pb.ts";
import { type SavedQuery, SavedQuerySchema } from "../../../gen/engage/analysis/v1/saved_queries_pb.ts";
import type { ReachedProject } from "../admission/reached-project.ts";
import { decodeQueryBody, queryBounds } from "../rest/query-body.ts";
import { faultsOfTimeout } from "../time-limit.ts";

const { maxLength: maxName } = limitsOf(SavedQuerySchema.field.name);
const { maxLength: maxDescription } = limitsOf(SavedQuerySchema.field.description);
const maxRequestBytes = 65_536;

/** Checks all that can be saved of a query. Returns its faults, whose fields begin with `saved_query`. */
export async function checkSavedQuery(
  { name, description, requestJson, projectId }: SavedQuery,
  reached: ReachedProject,
  signal: AbortSignal,
): Promise<readonly Violation[]> {
  return under("saved_query", [
    ...violationOf("name", checkDisplayName(name, maxName)),
    ...violationOf("description", checkText(description, maxDescription)),
    ...violationOf("project_id", checkProject(projectId, reached)),
    ...(await checkRequest(requestJson, reached, signal)),
  ]);
}

/** The project of the call counts; another one is a mistake. */
function checkProject(given: bigint, { projectId }: ReachedProject): Problem {
  if (given === 0n || given === BigInt(projectId)) return undefined;
  return `is ${given}, which is not the project of the call, ${projectId}`;
}

async function checkRequest(
  text: string,
  { projectId, project }: ReachedProject,
  signal: AbortSignal,
): Promise<readonly Violation[]> {
  const field = "request_json";
  const bytes = Buffer.from(text);
  const unreadable = checkForm(text, bytes);
  if (unreadable !== undefined) return [{ field, description: unreadable }];
  const { message, attachment } = decodeQueryBody(EventQuerySchema, {
    raw: bytes,
    json: () => parseExactJson(text),
  });
  const query = message as unknown as EventQuery;
  const { refusal } = attachment;
  const form = [...(refusal?.violations ?? []), ...faultsOfTimeout(query.timeoutSeconds)];
  if (form.length > 0) return under(field, form.map(withoutBody));
  if (query.projectId !== BigInt(projectId)) {
    const description = `is ${query.projectId}, which is not the project of the call, ${projectId}`;
    return [{ field: `${field}.projectId`, description }];
  }
  return under(field, (await project.engine.faultsOf?.(query, signal)) ?? []);
}

/** The request is not the body of this call. */
function withoutBody({ field, description }: Violation): Violation {
  return { field: field === "body" ? "" : field, description };
}

function checkForm(text: string, bytes: Buffer): Problem {
  if (text === "") return "is required";
  if (bytes.length > maxRequestBytes)
    return `has ${exactCountOf(bytes.length, "byte")}, at most ${maxRequestBytes} are valid`;
  const excess = findJsonExcess(bytes, queryBounds);
  if (excess !== undefined) return describeJsonExcess(excess);
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return `is not JSON: ${quoteText(firstLine((error as Error).message))}`;
  }
}

function violationOf(field: string, description: Problem): readonly Violation[] {
  return description === undefined ? [] : [{ field, description }];
}
