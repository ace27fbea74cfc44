import { createHash } from "node:crypto";
import { PassThrough } from "node:stream";
import { text as textOf } from "node:stream/consumers";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { createKey, type KeyOptions } from "../../../cmd/key/key.ts";
import { UserError } from "../../../cmd/terminal/user-error.ts";
import { loadText } from "../config/load.ts";

async function keyFrom(
  name: string,
  options: KeyOptions,
  random?: (bytes: number) => Buffer,
): Promise<string> {
  const stdout = new PassThrough();
  createKey(name, options, stdout, random);
  return await textOf(stdout.end());
}

test("the printed entry is a valid configuration, and its hash is that of the printed key", async () => {
  const text = await keyFrom("shipper", { method: ["proto.Parser/*"] }, (bytes) => Buffer.alloc(bytes, 7));
  const key = /engage_\S+/.exec(text)![0];
  expect(key).toBe(`engage_${Buffer.alloc(32, 7).toString("base64url")}`);
  const yaml = text.slice(text.indexOf("auth:"));
  expect(loadText(yaml).config.auth).toEqual({
    mode: "keys",
    keys: [
      {
        name: "shipper",
        sha256: createHash("sha256").update(key).digest("hex"),
        methods: ["proto.Parser/*"],
        access: "write",
      },
    ],
  });
});

test("with json it is one object, and no two keys are the same", async () => {
  const [a, b] = [await keyFrom("a", { json: true }), await keyFrom("a", { json: true })].map((text) =>
    JSON.parse(text),
  );
  expect(a).toEqual({
    name: "a",
    key: expect.stringMatching(/^engage_[\w-]{43}$/),
    sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    methods: ["*"],
  });
  expect(a.key).not.toBe(b.key);
});

test.each(["", "a b", "-x", "a".repeat(65)])("the name %j is refused", async (name) => {
  await expect(keyFrom(name, {})).rejects.toThrow(UserError);
});

test("the key stands only in the line that shows it", async () => {
  const text = await keyFrom("a", {});
  expect(text.match(/engage_/g)).toHaveLength(1);
  expect(JSON.stringify(parse(text.slice(text.indexOf("auth:"))))).not.toContain("engage_");
});
