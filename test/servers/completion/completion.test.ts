import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { writeFish } from "../../../cmd/completion/fish.ts";
import { describeCommand } from "../../../cmd/completion/tree.ts";
import { writeZsh } from "../../../cmd/completion/zsh.ts";
import { createProgram } from "../../../cmd/program.ts";
import { openForAll } from "../../open-for-all.ts";

const run = promisify(execFile);

/** A folder with the completions and a file to complete. */
const folder = openForAll(async (onEnd) => {
  const path = mkdtempSync(join(tmpdir(), "engage-completion-"));
  onEnd(() => rmSync(path, { recursive: true }));
  const root = describeCommand(createProgram());
  writeFileSync(join(path, "engage.zsh"), writeZsh(root));
  writeFileSync(join(path, "engage.fish"), writeFish(root));
  writeFileSync(join(path, "query.json"), "");
  return path;
});

const cases: readonly (readonly [line: string, offered: readonly string[]])[] = [
  ["engage key ", ["create", "help"]],
  ["engage webhook re", ["replay"]],
  ["engage query --cs", ["--csv"]],
  ["engage query q", ["query.json"]],
  ["engage serve --config q", ["query.json"]],
  ["engage events --order ", ["count", "name"]],
  ["engage dead-letters list re", ["record"]],
  ["engage completion f", ["fish"]],
];

describe("fish", () => {
  it.each(cases)("offers for %j", async (line, offered) => {
    const command = `source engage.fish; complete -C '${line}'`;
    const { stdout } = await run("fish", ["--no-config", "-c", command], { cwd: folder() });
    const words = stdout.trimEnd().split("\n");
    expect(words.map((word) => word.split("\t")[0]).toSorted()).toEqual(offered);
  });
});

/**
 * Starts a zsh with a terminal, presses Tab after a line, and prints what its completion adds. A widget that lists
 * writes the words to a file when it is done.
 */
const pressTab = `
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PROMPT= RPROMPT=; setopt no_beep; cd \${(q)PWD}; autoload -U compinit; compinit -D; source ./engage.zsh"
zpty -w shell 'compadd() {
  if [[ $* != *(-O|-A|-D)* ]]; then local -a found; builtin compadd -O found "$@"; added+=("\${found[@]}"); fi
  builtin compadd "$@"
}'
zpty -w shell 'list() { typeset -ga added=(); _main_complete; print -rl -- "\${(u)added[@]}" > words.new; mv words.new words }'
zpty -w shell "zle -C list list-choices list; bindkey '^T' list"
zpty -w -n shell "$1"$'\\x14'
for i in {1..500}; do [[ -e words ]] && break; sleep 0.02; zpty -r -t shell ignored '*'; done
cat words; rm words
zpty -d shell`;

describe("zsh", () => {
  it.each(cases)("offers for %j", async (line, offered) => {
    const { stdout } = await run("zsh", ["-f", "-c", pressTab, "zsh", line], { cwd: folder() });
    expect(stdout.trimEnd().split("\n").toSorted()).toEqual(offered);
  });
});
