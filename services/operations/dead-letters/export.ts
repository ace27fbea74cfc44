import { create } from "@bufbuild/protobuf";
import { Code, ConnectError, type ServiceImpl } from "@connectrpc/connect";
import {
  type DeadLetterFilter,
  type DeadLetters,
  ExportDeadLettersResponseSchema,
} from "../../../gen/engage/operations/v1/dead_letters_pb.ts";
import type { ReadFilter } from "./filter.ts";
import type { DeadLetterSources } from "./kinds.ts";

export interface ExportOptions {
  readonly sources: DeadLetterSources;
  readonly read: (filter: DeadLetterFilter | undefined) => ReadFilter;
  readonly toConnectError: (error: unknown) => unknown;
}

const maxOpen = 4;
/** Dead letters that one query reads. */
const batchSize = 100;
/** A piece is sent at this length. Dead letters may have megabytes each, so they do not wait for a whole batch. */
const pieceCharacters = 65_536;
const contentType = "application/x-ndjson";

/** Creates the method that exports, which reads on when its caller has read. */
export function createExport({
  sources,
  read,
  toConnectError,
}: ExportOptions): ServiceImpl<typeof DeadLetters>["exportDeadLetters"] {
  let open = 0;
  async function* piecesOf({ kind, filter }: ReadFilter, signal: AbortSignal): AsyncGenerator<string> {
    let after: string | undefined;
    do {
      signal.throwIfAborted();
      const { items, next } = await sources[kind].export(filter, { limit: batchSize, after });
      let piece = "";
      for await (const line of items) {
        piece += `${line}\n`;
        if (piece.length < pieceCharacters) continue;
        yield piece;
        piece = "";
        signal.throwIfAborted();
      }
      if (piece !== "") yield piece;
      after = next ?? undefined;
    } while (after !== undefined);
  }
  return async function* exportDeadLetters({ filter }, { signal }) {
    if (open === maxOpen) {
      throw new ConnectError("too many exports are open on this server", Code.ResourceExhausted);
    }
    open++;
    try {
      const wanted = read(filter);
      // Tells the media type also of an export without lines.
      yield create(ExportDeadLettersResponseSchema, { body: { contentType } });
      for await (const lines of piecesOf(wanted, signal)) {
        const data = new TextEncoder().encode(lines);
        yield create(ExportDeadLettersResponseSchema, { body: { contentType, data } });
      }
    } catch (error) {
      throw toConnectError(error);
    } finally {
      open--;
    }
  };
}
