import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, test } from "vitest";
import { writeBash } from "../../../cmd/completion/bash.ts";
import { writeFish } from "../../../cmd/completion/fish.ts";
import { describeCommand } from "../../../cmd/completion/tree.ts";
import { writeZsh } from "../../../cmd/completion/zsh.ts";
import { createProgram } from "../../../cmd/program.ts";
import { openForAll } from "../../open-for-all.ts";
import { runEngage } from "../run-engage.ts";

const run = promisify(execFile);
const root = describeCommand(createProgram());

/** A folder with files, among them one with a space in its name. */
const openFolder = openForAll(async (onEnd) => {
  const folder = mkdtempSync(join(tmpdir(), "engage-completion-"));
  onEnd(() => rmSync(folder, { recursive: true }));
  for (const name of ["access.log", "access two.log", "query.json"]) writeFileSync(join(folder, name), "");
  writeFileSync(join(folder, "engage.bash"), writeBash(root));
  return folder;
});

/** Returns what bash offers for the last word. */
async function completeInBash(words: readonly string[]): Promise<readonly string[]> {
  const script = `
    source ./engage.bash
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
    _engage 2>/dev/null
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = await run("bash", ["-u", "-c", script, "bash", ...words], { cwd: openFolder() });
  return stdout.split("\n").filter((line) => line !== "");
}

const cases: readonly (readonly [line: string, offered: readonly string[]])[] = [
  ["engage pars", ["parse", "parser-plugin"]],
  ["engage key ", ["create", "help"]],
  ["engage webhook d", ["deliveries", "delivery", "dead-letters"]],
  ["engage webhook replay --dr", ["--dry-run"]],
  ["engage query --cs", ["--csv"]],
  ["engage query q", ["query.json"]],
  ["engage parse acc", ["access.log", "access two.log"]],
  ["engage parse access.log --str", ["--strict"]],
  ["engage serve --config qu", ["query.json"]],
  ["engage serve --config = qu", ["query.json"]],
  ["engage events --order ", ["name", "count"]],
  ["engage import --format = p", ["parquet"]],
  ["engage dead-letters list re", ["record"]],
  ["engage completion f", ["fish"]],
  ["engage query --token a", []],
  ["engage send http://127.0.0.1 --push-id a", []],
  ["engage send http://127.0.0.1 --push-id ann --jo", ["--journey"]],
];

describe("the completion of bash", () => {
  it.each(cases)("offers for %j", async (line, offered) => {
    expect((await completeInBash(line.split(" "))).toSorted()).toEqual(offered.toSorted());
  });

  it("offers all commands and options of engage", async () => {
    const names = root.commands.map(({ name }) => name);
    expect((await completeInBash(["engage", ""])).toSorted()).toEqual(names.toSorted());
    expect(await completeInBash(["engage", "-"])).toEqual(["-V", "--version", "-h", "--help"]);
  });
});

test("engage completion prints the completion of each shell", async () => {
  for (const [shell, write] of [
    ["bash", writeBash],
    ["zsh", writeZsh],
    ["fish", writeFish],
  ] as const) {
    const { code, stdout } = await runEngage(["completion", shell]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: write(root) });
  }
  const { code, stderr } = await runEngage(["completion", "csh"]);
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining("bash, zsh, fish") });
});

describe("the completions of zsh and fish", () => {
  it("name every command and option", () => {
    const zsh = writeZsh(root);
    const fish = writeFish(root);
    expect(zsh).toContain("'(-c --config)'{-c,--config}'[configuration file");
    expect(zsh).toContain("dead-letters) _engage_dead_letters ;;");
    expect(fish).toContain("complete -c engage -n '__engage_at \\'key\\'' -a 'create'");
    expect(fish).toContain("-l order -x -a 'name count'");
  });
});
