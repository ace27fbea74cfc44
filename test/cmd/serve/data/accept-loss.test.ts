import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openMarkFile } from "../../../../base/files/mark-file.ts";
import { loadConfig } from "../../../../cmd/config/config.ts";
import { acceptLossOf } from "../../../../cmd/serve/data/accept-loss.ts";
import { markFile } from "../../../../cmd/serve/data/marks.ts";
import { UserError } from "../../../../cmd/terminal/user-error.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "accept-loss-"));
  writeFileSync(join(folder, "engage.yaml"), JSON.stringify({ data: "data" }));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function accept(store: string): Promise<string> {
  const { config } = loadConfig({ env: {}, cwd: folder });
  let text = "";
  const stdout = new Writable({
    write(chunk, _encoding, done) {
      text += String(chunk);
      done();
    },
  });
  await acceptLossOf(config, store, stdout);
  return text;
}

it.each([
  ["", ""],
  ["Inbox", 'the nearest is "inbox", '],
  ["everything", ""],
])("refuses the store %j, and says which there are", async (name, nearest) => {
  const words = `store ${JSON.stringify(name)} is not known, ${nearest}valid are "events", "inbox", "channels"`;
  await expect(accept(name)).rejects.toThrow(new UserError(words));
});

it.each(["inbox", "channels"] as const)("looks for what %s has lost no longer", async (store) => {
  const { config } = loadConfig({ env: {}, cwd: folder });
  const path = markFile(config, store, join(config.data, store, `${store}.db`));
  {
    using mark = openMarkFile(path);
    mark.write({ id: "one", commits: 7, numbers: { batches: 5 } });
  }
  expect(await accept(store)).toMatch(
    /5 batches in 7 commits\naccepted: the next start opens \w+ as it is\n$/,
  );
  expect(existsSync(path)).toBe(false);
  expect(await accept(store)).toBe(`no data of ${store} is known to be missing\n`);
});

it.each(["inbox", "channels"] as const)(
  "says what to do about a file of %s that stays damaged",
  async (store) => {
    const { config } = loadConfig({ env: {}, cwd: folder });
    const file = join(config.data, store, `${store}.db`);
    mkdirSync(join(config.data, store), { recursive: true });
    writeFileSync(file, "no database at all".repeat(100));
    {
      using mark = openMarkFile(markFile(config, store, file));
      mark.write({ id: "one", commits: 7, numbers: { batches: 5 } });
    }
    await expect(accept(store)).rejects.toThrow(
      new RegExp(
        `^the store cannot be opened: .*"${file}" is damaged .*; restore "${file}" from a backup, or move it away to start with an empty store$`,
      ),
    );
    rmSync(file);
    expect(await accept(store)).toBe(`no data of ${store} is known to be missing\n`);
  },
);

it("finds nothing missing where there is no data folder yet", async () => {
  expect(await accept("events")).toBe("no data of events is known to be missing\n");
});
