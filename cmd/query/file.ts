import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { userIdNames } from "../../base/record/user-ids.ts";
import { withoutTextMark } from "../../base/text/byte-order-mark.ts";
import { firstLine } from "../../base/text/system-error.ts";
import { cannotRead } from "../terminal/file-fault.ts";
import { UserError } from "../terminal/user-error.ts";

interface QueryChoice {
  readonly project?: number;
  readonly users?: boolean;
  readonly csv?: boolean;
}

/**
 * Reads the body of a query from a file, or from standard input for `-`. For a list of users, the missing fields of the
 * slice select the whole first metric.
 * @throws UserError
 */
export async function readQuery(
  file: string,
  { project, users, csv }: QueryChoice,
  stdin: NodeJS.ReadableStream,
): Promise<string> {
  const source = withoutTextMark(file === "-" ? await text(stdin) : readFile(file));
  const query = parse(file, source);
  const added = {
    ...(project !== undefined && { projectId: project }),
    ...(users && query["eventIndex"] === undefined && { eventIndex: 0 }),
    ...(users && query["sliceGroupVal"] === undefined && { sliceGroupVal: [] }),
    ...(users && csv && query["selectedColumns"] === undefined && { selectedColumns: userIdNames }),
  };
  // An unchanged query is sent as it is written, since its numbers may be more exact than doubles.
  return Object.keys(added).length === 0 ? source : JSON.stringify({ ...query, ...added });
}

function readFile(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw cannotRead(file, error);
  }
}

function parse(file: string, source: string): Readonly<Record<string, unknown>> {
  const name = file === "-" ? "standard input" : JSON.stringify(file);
  let query: unknown;
  try {
    query = JSON.parse(source);
  } catch (error) {
    throw new UserError(`${name} is not JSON: ${firstLine((error as Error).message)}`, { cause: error });
  }
  if (typeof query === "object" && query !== null && !Array.isArray(query)) return query as never;
  throw new UserError(`${name} is not a query, which is a JSON object`);
}
