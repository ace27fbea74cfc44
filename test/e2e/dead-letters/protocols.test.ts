import { describe, expect, it } from "vitest";
import { DeadLetterKind } from "../../../gen/engage/operations/v1/dead_letters_pb.ts";
import { trackOf } from "../../cmd/event-server.ts";
import { openForAll } from "../../open-for-all.ts";
import { overRest, protocols, words } from "./calls.ts";
import { keep, openDeadLetterServer, storedUsers } from "./server.ts";

const server = openForAll(openDeadLetterServer);

interface Made {
  readonly reason: string;
  readonly content: string;
  /** How an export contains it. */
  readonly exported: string;
  /** What is found where it is handed on. */
  readonly mark: string;
}

interface Kind {
  readonly kind: DeadLetterKind;
  /** Makes one dead letter. */
  make(name: string): Promise<Made>;
  /** Returns what was handed on. */
  handedOn(): Promise<string>;
}

function madeOf(reason: string, content: string, mark: string): Made {
  return { reason, content, mark, exported: `"line":${JSON.stringify(content)}` };
}

async function sendMessage(name: string) {
  const { receiver, send } = server();
  receiver.status = 400;
  const content = `{"push_id":"${name}","params":{"n":9007199254740993},"#ops_receipt_properties":{}}`;
  await send(`[${content}]`);
  const calls = overRest(server().url);
  const filter = { kind: DeadLetterKind.WEBHOOK, channel: "demo" };
  await expect.poll(async () => (await calls.list(filter))["deadLetters"]).toHaveLength(1);
  receiver.status = 200;
  const [letter] = (await calls.list(filter))["deadLetters"] as { reason: string }[];
  return { reason: letter!.reason, content, exported: `"message":${content}}`, mark: name };
}

const kinds: readonly Kind[] = [
  { kind: DeadLetterKind.WEBHOOK, make: sendMessage, handedOn: async () => server().receiver.bodies.join() },
  {
    kind: DeadLetterKind.CLICK,
    async make(name) {
      const content = `{"#uuid":"click ${name}","n":9007199254740993}`;
      await keep(server().data, "clicks/dead-letters.ndjson", undefined, `refused ${name}`, content);
      return madeOf(`refused ${name}`, content, `click ${name}`);
    },
    handedOn: async () =>
      server()
        .ingest.calls.map(({ text }) => text)
        .join(),
  },
  {
    kind: DeadLetterKind.PARSER,
    async make(name) {
      const content = JSON.stringify(trackOf(`line ${name}`));
      await keep(server().data, "deadletters/parser.ndjson", "r", `invalid ${name}`, content);
      return madeOf(`invalid ${name}`, content, `line ${name}`);
    },
    handedOn: () => storedUsers(server().url),
  },
  {
    kind: DeadLetterKind.RECORD,
    async make(name) {
      const content = JSON.stringify([trackOf(`record ${name}`)]);
      await keep(server().data, "deadletters/events.ndjson", "project 1", `type ${name}`, content);
      return madeOf(`type ${name}`, content, `record ${name}`);
    },
    handedOn: () => storedUsers(server().url),
  },
];

const table = protocols.flatMap(([name, callsOf]) =>
  kinds.map((kind) => [words[kind.kind]!, name, kind, callsOf] as const),
);

describe.each(table)("dead letters of %s over %s", (word, name, { kind, make, handedOn }, callsOf) => {
  it("are found, counted, exported and handed on again", async () => {
    const calls = callsOf(server().url);
    const { reason, content, exported: line, mark } = await make(name);
    // Counts by reason may be those of a moment ago.
    await expect
      .poll(async () => (await calls.kinds())["kinds"], { timeout: 5_000 })
      .toContainEqual(
        expect.objectContaining({ kind: word, count: "1", complete: true, replayObstacle: "" }),
      );
    await expect
      .poll(async () => (await calls.reasons(kind))["reasons"], { timeout: 5_000 })
      .toMatchObject([{ reason, count: "1", example: { kind: word, reason } }]);
    const filter = { kind, reason };
    const { deadLetters, nextPageToken } = await calls.list(filter);
    expect([deadLetters, nextPageToken]).toMatchObject([[{ kind: word, reason, lines: "1" }], ""]);
    const [{ deadLetterId }] = deadLetters as [{ deadLetterId: string }];
    const { deadLetter } = await calls.get(deadLetterId);
    const bytes = Buffer.from((deadLetter as { content: string }).content, "base64");
    expect([deadLetter, bytes.toString()]).toMatchObject([{ deadLetterId, contentIsCut: false }, content]);
    const exported = await calls.exported(filter);
    expect(exported.split("\n")).toHaveLength(2);
    expect(JSON.parse(exported)).toMatchObject({ reason, time: expect.stringMatching(/^20/) });
    expect(exported).toContain(line);
    expect(await calls.count({ kind, deadLetterId })).toMatchObject({ count: "1", nextPageToken: "" });
    expect(await calls.replay(filter)).toEqual({
      replayed: "1",
      refused: "0",
      incomplete: "0",
      firstRefusal: "",
      nextPageToken: "",
    });
    await expect.poll(handedOn, { timeout: 10_000 }).toContain(mark);
    expect(await calls.count(filter)).toMatchObject({ count: "0" });
    expect((await calls.list({ kind }))["deadLetters"]).toEqual([]);
  });
});
