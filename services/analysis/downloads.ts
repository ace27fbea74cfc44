import { create } from "@bufbuild/protobuf";
import type { Violation } from "../../base/rpc/violation.ts";
import { knownNames } from "../../base/text/known-names.ts";
import { quoteText } from "../../base/text/quote.ts";
import type {
  DownloadEventsResponse,
  DownloadEventUsersResponse,
} from "../../gen/engage/analysis/v1/analysis_proxy_pb.ts";
import { CsvStyleSchema } from "../../gen/engage/analysis/v1/analysis_proxy_pb.ts";
import type { Warning } from "../../gen/engage/analysis/v1/result_pb.ts";

/** The options of a request for CSV. */
interface CsvChoice {
  readonly header: string;
  readonly bom: boolean;
}

/** Returns the faults of the options. */
export function faultsOfChoice({ header }: Pick<CsvChoice, "header">): readonly Violation[] {
  if (header === "" || header === "display" || header === "names") return [];
  const description = `${quoteText(header)} is unknown, ${knownNames(header, ["display", "names"])}`;
  return [{ field: "header", description }];
}

/** Longest header that all servers accept. */
const maxHeaderLength = 4_000;

/** Header with the warnings of a download over REST, as a JSON list in ASCII: the file has no place for them. */
const warningsHeader = "analysis-warnings";

function writeWarnings(warnings: readonly Warning[]): string {
  const texts = warnings.map(({ message }) =>
    JSON.stringify(message).replace(
      /[^ -~]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
    ),
  );
  let room = maxHeaderLength;
  const fitting = texts.filter((text) => {
    room -= text.length + 1;
    return room >= 0;
  });
  const more = texts.length - fitting.length;
  return `[${[...fitting, ...(more > 0 ? [`"${more} more"`] : [])].join(",")}]`;
}

type Piece = DownloadEventsResponse | DownloadEventUsersResponse;

/**
 * Writes the options into the header message. Over REST the header message is held back until the next message exists,
 * so that an error before it still gets an error response.
 * @param restHeader headers of the response to a REST call
 */
export async function* styleDownload<T extends Piece>(
  pieces: AsyncIterable<T>,
  choice: CsvChoice,
  restHeader: Headers | undefined,
): AsyncGenerator<T> {
  const csv = create(CsvStyleSchema, { stableNames: choice.header === "names", byteOrderMark: choice.bom });
  let held: T | undefined;
  for await (const piece of pieces) {
    if (held !== undefined) yield held;
    held = undefined;
    if (piece.content.case === "header") {
      piece.content.value.csv = csv;
      const warnings = piece.content.value.info?.warnings ?? [];
      if (warnings.length > 0) restHeader?.set(warningsHeader, writeWarnings(warnings));
      if (restHeader !== undefined) held = piece;
      else yield piece;
    } else yield piece;
  }
  if (held !== undefined) yield held;
}
