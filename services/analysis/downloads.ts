import { create } from "@bufbuild/protobuf";
import type {
  DownloadEventsResponse,
  DownloadEventUsersResponse,
} from "../../gen/engage/analysis/v1/analysis_proxy_pb.ts";
import { CsvStyleSchema } from "../../gen/engage/analysis/v1/analysis_proxy_pb.ts";
import type { AnalysisRefusal } from "./refusal.ts";
import { refuseQuery } from "./rest/query-body.ts";

/** What a request says about CSV. */
interface CsvChoice {
  readonly header: string;
  readonly bom: boolean;
}

/** What is wrong with the choice. */
export function refuseChoice({ header }: CsvChoice): AnalysisRefusal | undefined {
  if (header === "" || header === "display" || header === "names") return undefined;
  const description = `${JSON.stringify(header.slice(0, 80))} is unknown, valid are "display", "names"`;
  return refuseQuery([{ field: "header", description }]);
}

type Piece = DownloadEventsResponse | DownloadEventUsersResponse;

/**
 * Writes the choice into the header. Over REST the header is held back until
 * what follows it is there: until then an error can still be answered as one.
 */
export async function* styleDownload<T extends Piece>(
  pieces: AsyncIterable<T>,
  choice: CsvChoice,
  holdsHeader: boolean,
): AsyncGenerator<T> {
  const csv = create(CsvStyleSchema, { stableNames: choice.header === "names", byteOrderMark: choice.bom });
  let held: T | undefined;
  for await (const piece of pieces) {
    if (held !== undefined) yield held;
    held = undefined;
    if (piece.content.case === "header") {
      piece.content.value.csv = csv;
      if (holdsHeader) held = piece;
      else yield piece;
    } else yield piece;
  }
  if (held !== undefined) yield held;
}
