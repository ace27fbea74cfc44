import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openMarkFile } from "../../../base/files/mark-file.ts";
import { loadConfig } from "../../../cmd/config/config.ts";
import { markFile } from "../../../cmd/serve/data/marks.ts";
import { acceptLossOf } from "../../../cmd/store/accept-loss.ts";
import { UserError } from "../../../cmd/terminal/user-error.ts";

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

it.each(["", "Inbox", "everything"])("refuses the store %j, and says which there are", async (name) => {
  const words = `there is no store ${JSON.stringify(name)}, valid are events, inbox, channels`;
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
    /5 batches in 7 commits\naccepted: \w+ goes on with what is there at the next start\n$/,
  );
  expect(existsSync(path)).toBe(false);
  expect(await accept(store)).toBe(`nothing of ${store} is known to be missing\n`);
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
        `^a start can't open it: .*"${file}" is damaged .*; restore "${file}" from a copy, or move it away: the next start then begins with an empty one$`,
      ),
    );
    rmSync(file);
    expect(await accept(store)).toBe(`nothing of ${store} is known to be missing\n`);
  },
);

it("finds nothing missing where there is no data folder yet", async () => {
  expect(await accept("events")).toBe("nothing of events is known to be missing\n");
});
