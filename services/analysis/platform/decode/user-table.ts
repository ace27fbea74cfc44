import { create } from "@bufbuild/protobuf";
import { NullValue, type Value, ValueSchema } from "@bufbuild/protobuf/wkt";
import { exactCountOf } from "../../../../base/text/count.ts";
import {
  type DownloadEventUsersResponse,
  DownloadEventUsersResponseSchema,
  type UserRow,
  UserRowSchema,
} from "../../../../gen/engage/analysis/v1/analysis_proxy_pb.ts";
import type { EventUserDownloadQuery } from "../../../../gen/engage/analysis/v1/query_pb.ts";
import type { CsvRow } from "../csv-rows.ts";
import { refuseUnreadable } from "./analysis.ts";
import { createInfo } from "./result-info.ts";

/** The most rows of one message. */
const maxRows = 500;

/**
 * Decodes the rows of the platform's download to typed messages. All values are strings: CSV has no types, and a
 * guessed type would change `007`.
 */
export async function* decodeUserTable(
  batches: AsyncIterable<readonly CsvRow[]>,
  query: EventUserDownloadQuery,
): AsyncGenerator<DownloadEventUsersResponse> {
  let isHeaded = false;
  let gathered: UserRow[] = [];
  const flush = (): DownloadEventUsersResponse => {
    const value = { rows: gathered };
    gathered = [];
    return create(DownloadEventUsersResponseSchema, { content: { case: "rows", value } });
  };
  for await (const rows of batches) {
    for (const row of rows) {
      if (!isHeaded) {
        isHeaded = true;
        yield headerMessage(row, query);
        continue;
      }
      gathered.push(create(UserRowSchema, { values: row.map(cellOf) }));
      if (gathered.length === maxRows) yield flush();
    }
  }
  if (!isHeaded) throw refuseUnreadable("the download is empty");
  if (gathered.length > 0) yield flush();
}

function headerMessage(heads: CsvRow, query: EventUserDownloadQuery): DownloadEventUsersResponse {
  const { selectedColumns, zoneOffset } = query;
  if (heads.length !== selectedColumns.length) {
    const columns = heads.map((head) => JSON.stringify(head)).join(", ");
    throw refuseUnreadable(
      `the download has ${exactCountOf(heads.length, "column")} instead of the ${selectedColumns.length} selected: ${columns}`,
    );
  }
  const value = {
    columns: heads.map((displayName, i) => ({ name: selectedColumns[i]!, displayName })),
    info: createInfo(zoneOffset, {}, false, []),
  };
  return create(DownloadEventUsersResponseSchema, { content: { case: "header", value } });
}

function cellOf(text: string): Value {
  return create(ValueSchema, {
    kind:
      text === "" ? { case: "nullValue", value: NullValue.NULL_VALUE } : { case: "stringValue", value: text },
  });
}
