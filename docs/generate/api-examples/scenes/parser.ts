import { ParserExplainer } from "../../../../gen/engage/parser/v1/parser_explainer_pb.ts";
import { ParserStream } from "../../../../gen/engage/parser/v1/parser_stream_pb.ts";
import { Parser } from "../../../../gen/proto/parser_pb.ts";
import type { World } from "../world.ts";

const lines = [
  '{"ACCOUNTID":"ann","LOGTM":"2026-03-04 09:00:00","CODE":1001}',
  '{"ACCOUNTID":"bob","LOGTM":"2026-03-04 10:00:00"}',
] as const;

/** INDEX, IDXSEP and DATA of each line, with SEP between them. */
const content = Buffer.from(lines.map((line) => `game1.log|ta|${line}`).join(":ta:"));

export async function playParser({ calls }: World): Promise<void> {
  await calls.unary(Parser.method.parse, { content });
  await calls.clientStream(ParserStream.method.parseLines, [
    { index: "game1.log", lines: [Buffer.from(lines[0])] },
    { lines: [Buffer.from(lines[1])] },
  ]);
  await calls.unary(ParserExplainer.method.explain, { content, formats: { case: "format", value: "game" } });
}
