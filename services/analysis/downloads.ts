import { create } from "@bufbuild/protobuf";
import { quoteText } from "../../base/text/quote.ts";
import type {
  DownloadEventsResponse,
  DownloadEventUsersResponse,
} from "../../gen/engage/analysis/v1/analysis_proxy_pb.ts";
import { CsvStyleSchema } from "../../gen/engage/analysis/v1/analysis_proxy_pb.ts";
import type { Warning } from "../../gen/engage/analysis/v1/result_pb.ts";
import type { QueryViolation } from "./refusal/refusal.ts";

/** What a request says about CSV. */
interface CsvChoice {
  readonly header: string;
  readonly bom: boolean;
}

/** What is wrong with the choice. */
export function faultsOfChoice({ header }: Pick<CsvChoice, "header">): readonly QueryViolation[] {
  if (header === "" || header === "display" || header === "names") return [];
  const description = `${quoteText(header)} is unknown, valid are "display", "names"`;
  return [{ field: "header", description }];
}

/** Bytes of a header that all servers on the way take. */
const maxHeaderLength = 4_000;

/** The warnings of a download over REST, whose file has no room for them: a JSON list of ASCII characters. */
export const warningsHeader = "analysis-warnings";

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
 * Writes the choice into the header. Over REST the header is held back until
 * what follows it is there: until then an error can still be answered as one.
 * @param restHeader of the answer to a REST call
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
