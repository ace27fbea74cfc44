import type { MessageInitShape } from "@bufbuild/protobuf";
import { FramingRole, type FramingTokenSchema } from "../../../gen/engage/parser/v1/parser_explainer_pb.ts";
import type { Framing } from "../line/framing.ts";
import type { LinePlace } from "../line/segment.ts";

/** Tokens of one response, so that a content of separators causes no large response. */
export const maxTokens = 10_000;

export type Token = MessageInitShape<typeof FramingTokenSchema>;

export interface TokenList {
  /** Adds the tokens of the next line. */
  add(place: LinePlace): void;
  /** Adds what follows the last line, and returns the first tokens with the number of the others. */
  close(): { readonly tokens: readonly Token[]; readonly omitted: number };
}

/** Turns the places of lines into tokens that cover the content without gaps. */
export function createTokenList(framing: Framing, separatorBytes: number, contentBytes: number): TokenList {
  const tokens: Token[] = [];
  const afterLine = framing === "items" ? FramingRole.SEPARATOR : FramingRole.LINE_END;
  let omitted = 0;
  let line = -1;
  let at = 0;
  const addTo = (end: number, role: FramingRole): void => {
    if (end <= at) return;
    if (tokens.length < maxTokens) tokens.push({ offset: at, length: end - at, role, lineNumber: line });
    else omitted++;
    at = end;
  };
  return {
    add({ start, indexEnd, dataStart, dataEnd, end, collisions }) {
      addTo(start, afterLine);
      line++;
      if (indexEnd >= 0) addTo(indexEnd, FramingRole.INDEX);
      addTo(dataStart, FramingRole.INDEX_SEPARATOR);
      for (const found of collisions) {
        // A SEP of spaces or line ends may be removed with them.
        if (found >= dataEnd) break;
        addTo(found, FramingRole.DATA);
        addTo(found + separatorBytes, FramingRole.SEPARATOR_IN_DATA);
      }
      addTo(dataEnd, FramingRole.DATA);
      addTo(end, FramingRole.TRIMMED);
    },
    close() {
      line = Math.max(line, 0);
      addTo(contentBytes, afterLine);
      return { tokens, omitted };
    },
  };
}
