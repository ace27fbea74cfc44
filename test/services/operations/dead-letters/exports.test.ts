import { Code } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import { DeadLetterKind } from "../../../../gen/engage/operations/v1/dead_letters_pb.ts";
import { clientOf, refusal } from "./client.ts";

const kind = DeadLetterKind.PARSER;

describe("an export", () => {
  it("has all pages, and begins with its media type", async () => {
    const pages = [
      { items: ["1", "2"], next: "a" },
      { items: [], next: "b" },
      { items: ["3"], next: null },
    ];
    const client = clientOf({ export: async () => pages.shift()! });
    const bodies = [];
    for await (const { body } of client.exportDeadLetters({ filter: { kind } })) bodies.push(body!);
    expect(bodies.map(({ data }) => Buffer.from(data).toString())).toEqual(["", "1\n2\n", "3\n"]);
    expect(new Set(bodies.map(({ contentType }) => contentType))).toEqual(new Set(["application/x-ndjson"]));
  });

  it("reads a line when the lines before it are sent, since one may have megabytes", async () => {
    const line = "x".repeat(65_536);
    let read = 0;
    async function* items() {
      for (; read < 100; read++) yield line;
    }
    const client = clientOf({ export: async () => ({ items: items(), next: null }) });
    const exported = client.exportDeadLetters({ filter: { kind } })[Symbol.asyncIterator]();
    await exported.next();
    const { value } = await exported.next();
    expect(Buffer.from(value!.body!.data).toString()).toBe(`${line}\n`);
    expect(read).toBeLessThan(10);
    await exported.return?.();
  });

  it("is refused while four are open", async () => {
    const released = Promise.withResolvers<void>();
    const client = clientOf({
      async export() {
        await released.promise;
        return { items: [], next: null };
      },
    });
    const open = Array.from({ length: 4 }, () =>
      client.exportDeadLetters({ filter: { kind } })[Symbol.asyncIterator](),
    );
    for (const one of open) await one.next();
    const [fifth] = [client.exportDeadLetters({ filter: { kind } })[Symbol.asyncIterator]()];
    expect(await refusal(fifth.next())).toEqual([
      Code.ResourceExhausted,
      "too many exports are open on this server",
    ]);
    released.resolve();
    for (const one of open) expect(await one.next()).toMatchObject({ done: true });
    const [later] = [client.exportDeadLetters({ filter: { kind } })[Symbol.asyncIterator]()];
    expect(await later.next()).toMatchObject({ done: false });
    await later.next();
  });
});
