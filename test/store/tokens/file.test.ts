import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { openFileTokens } from "../../../store/tokens/file.ts";
import { describeTokens, token } from "../../conformance/tokens.ts";

const folder = mkdtempSync(join(tmpdir(), "engage-tokens-"));
let used = 0;
afterAll(() => rmSync(folder, { recursive: true }));

const newFile = (): string => join(folder, String(++used), "tokens.json");

describeTokens(async () => {
  const file = newFile();
  return { open: () => openFileTokens({ file }) };
});

describe("a file of tokens", () => {
  it("is for its owner alone to read", async () => {
    const file = newFile();
    await openFileTokens({ file }).add(token("one"));
    expect([statSync(file).mode & 0o777, statSync(join(file, "..")).mode & 0o777]).toEqual([0o600, 0o700]);
  });

  it("is left as it is while another process changes it", async () => {
    const file = newFile();
    const tokens = openFileTokens({ file });
    await tokens.add(token("one"));
    writeFileSync(`${file}.new`, "");
    await expect(tokens.add(token("two"))).rejects.toMatchObject({
      name: "TokensUnavailableError",
      message: `another command is changing the tokens; if none is, delete ${JSON.stringify(`${file}.new`)}`,
    });
    expect(await tokens.list()).toHaveLength(1);
  });

  it("leaves no draft when nothing is changed", async () => {
    const file = newFile();
    const tokens = openFileTokens({ file });
    await tokens.add(token("one"));
    const before = readFileSync(file, "utf8");
    await tokens.add(token("one"));
    await tokens.remove("two");
    expect([readFileSync(file, "utf8"), existsSync(`${file}.new`)]).toEqual([before, false]);
  });

  it("is read again after a second", async () => {
    let nowMs = 0;
    const tokens = openFileTokens({ file: newFile(), now: () => nowMs });
    using followed = await tokens.follow(() => {});
    await tokens.add(token("one"));
    nowMs = 999;
    expect(followed.current()).toEqual([]);
    nowMs = 1_000;
    expect(followed.current()).toEqual([token("one")]);
    await tokens.remove("one");
    nowMs = 2_000;
    expect(followed.current()).toEqual([]);
  });

  it("that breaks leaves the tokens which were read, and is reported once", async () => {
    const file = newFile();
    let nowMs = 0;
    const tokens = openFileTokens({ file, now: () => nowMs });
    await tokens.add(token("one"));
    const failures: string[] = [];
    using followed = await tokens.follow((error) => void failures.push(String(error)));
    writeFileSync(file, "{");
    for (nowMs of [5_000, 10_000]) expect(followed.current()).toEqual([token("one")]);
    expect(failures).toEqual([expect.stringContaining("is not a list of tokens")]);
  });

  it("that is broken can't be opened", async () => {
    const file = join(folder, "broken.json");
    writeFileSync(file, '{"tokens":[{"name":"a"}]}');
    const tokens = openFileTokens({ file });
    const broken = { message: expect.stringContaining("is not a list of tokens: tokens.0.sha256:") };
    await expect(tokens.follow(() => {})).rejects.toMatchObject(broken);
    await expect(tokens.list()).rejects.toMatchObject(broken);
  });
});
