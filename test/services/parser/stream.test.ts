import { createClient, createRouterTransport } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import { ParserStream } from "../../../gen/engage/parser/v1/parser_stream_pb.ts";
import { parserConfigSchema } from "../../../services/parser/config.ts";
import { openFormats } from "../../../services/parser/formats/formats.ts";
import { createParserStream } from "../../../services/parser/stream.ts";
import { createRecorder } from "./recorder.ts";

async function clientOf() {
  const config = parserConfigSchema.parse({
    formats: [
      { name: "plain", index: "plain.log", type: "json" },
      { name: "lists", index: "lists.log", type: "json", records: "list" },
    ],
  });
  const { formatFor } = await openFormats(config);
  const { observer, counts } = createRecorder();
  const stream = createParserStream({ formatFor, maxLineBytes: config.maxLineBytes, observer });
  const client = createClient(
    ParserStream,
    createRouterTransport(({ service }) => service(ParserStream, stream)),
  );
  return { client, counts, stream };
}

interface Message {
  index: string;
  lines: Uint8Array[];
}

function message(index: string, ...lines: (string | Uint8Array)[]): Message {
  return { index, lines: lines.map((line) => (typeof line === "string" ? Buffer.from(line) : line)) };
}

async function* each(...messages: Message[]): AsyncGenerator<Message> {
  yield* messages;
}

describe("ParseLines", () => {
  it("answers each message, numbering lines over the whole stream", async () => {
    const { client, counts } = await clientOf();
    const seen: unknown[] = [];
    const requests = each(
      message("plain.log", '{"a":1}', "x", Buffer.of(0xff)),
      message("", '{"b::":1}\r\n'),
      message("lists.log", '{"list":[{"c":1},{"c":2}]}', ""),
      message("other.log", "x"),
    );
    for await (const { results } of client.parseLines(requests)) {
      seen.push(
        results.map(({ lineNumber, outcome }) => [
          lineNumber,
          outcome.case === "records"
            ? outcome.value.json.map((json) => Buffer.from(json).toString())
            : outcome.value?.reason,
        ]),
      );
    }
    expect(seen).toEqual([
      [
        [0n, ['{"properties":{"a":1}}']],
        [1n, "invalid_json"],
        [2n, "invalid_utf8"],
      ],
      [[3n, ['{"properties":{"b::":1}}']]],
      [
        [4n, ['{"properties":{"c":1}}', '{"properties":{"c":2}}']],
        [5n, "empty_line"],
      ],
      [[6n, "no_format"]],
    ]);
    expect(counts).toMatchObject({
      "items plain": 4,
      "items lists": 2,
      records: 4,
      "failed invalid_json": 1,
    });
  });

  it("names the fault of a line", async () => {
    const { client } = await clientOf();
    const answers = client.parseLines(each(message("other.log", "x")));
    const answer = await answers[Symbol.asyncIterator]().next();
    expect(answer.value?.results[0]?.outcome.value).toMatchObject({
      reason: "no_format",
      message: 'no format has an index pattern for "other.log"',
    });
  });

  it("reads no message before the answer to the last one is taken", async () => {
    const { stream } = await clientOf();
    let read = 0;
    async function* counted() {
      for (;;) {
        read++;
        yield message("plain.log", "{}");
      }
    }
    const answers = stream.parseLines(counted() as never, { signal: new AbortController().signal } as never);
    const iterator = answers[Symbol.asyncIterator]();
    await iterator.next();
    await iterator.next();
    expect(read).toBe(2);
    await iterator.return?.();
  });

  it("stops within a huge message when the caller goes away, and lets others have a turn", async () => {
    const { stream } = await clientOf();
    const caller = new AbortController();
    const huge = message("plain.log", ...Array.from({ length: 100_000 }, () => '{"a":1}'));
    const answers = stream.parseLines(each(huge) as never, { signal: caller.signal } as never);
    const first = answers[Symbol.asyncIterator]().next();
    setImmediate(() => caller.abort(new Error("caller went away")));
    await expect(first).rejects.toThrow("caller went away");
  });
});
