import type { MessageInitShape } from "@bufbuild/protobuf";
import { createCsvParser } from "../../base/text/csv.ts";
import { errorMessage } from "../../base/text/system-error.ts";
import type { ClusterMemberSchema } from "../../gen/engage/analysis/v1/cluster_pb.ts";
import { UserError } from "../terminal/user-error.ts";

export type Member = MessageInitShape<typeof ClusterMemberSchema>;

const idCases = { account_id: "accountId", distinct_id: "distinctId", user_id: "userId" } as const;
type IdColumn = keyof typeof idCases;

const maxRowBytes = 65_536;

/**
 * Reads members from CSV with a header row of `account_id`, `distinct_id`,
 * `user_id` and `value` (a leading # is optional), or from account ids without a
 * header. The first id of a row is used.
 * @param needsValue whether each row must have a value
 * @throws UserError that names the line
 */
export async function* readMembers(
  source: NodeJS.ReadableStream,
  needsValue: boolean,
): AsyncGenerator<Member> {
  const records = source.pipe(createCsvParser({ maxRowBytes, unevenRows: true, trim: true }, { info: true }));
  source.on("error", (error) => records.destroy(error));
  let columns: readonly string[] | undefined;
  try {
    for await (const { record, info } of records as AsyncIterable<{
      record: string[];
      info: { lines: number };
    }>) {
      if (columns === undefined) {
        columns = columnsOf(record);
        if (columns !== undefined) continue;
        columns = ["account_id"];
      }
      const member = memberOf(columns, record, info.lines);
      if (needsValue && member.value === "")
        throw new UserError(`line ${info.lines} has no value for the tag`);
      yield member;
    }
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(`cannot read the members: ${errorMessage(error)}`, { cause: error });
  }
}

/** Returns undefined when the first line is not a header. */
function columnsOf(record: readonly string[]): readonly string[] | undefined {
  const names = record.map((name) => name.replace(/^#/, "").toLowerCase());
  return names.some((name) => name in idCases) ? names : undefined;
}

function memberOf(columns: readonly string[], record: readonly string[], line: number): Member {
  const cell = (column: string): string => record[columns.indexOf(column)] ?? "";
  const found = (Object.keys(idCases) as IdColumn[]).find((column) => cell(column) !== "");
  if (found === undefined) throw new UserError(`line ${line} has no id`);
  const text = cell(found);
  const value = cell("value");
  if (found !== "user_id") return { id: { case: idCases[found], value: text }, value };
  if (!/^\d{1,18}$/.test(text)) throw new UserError(`line ${line}: ${JSON.stringify(text)} is not a user id`);
  return { id: { case: "userId", value: BigInt(text) }, value };
}
