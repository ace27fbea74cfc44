import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { confirm } from "../../../cmd/terminal/confirm.ts";
import { silence } from "../../../cmd/terminal/silence.ts";

function terminal(line: string) {
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  stdin.end(`${line}\n`);
  const stderr = new PassThrough();
  return { stdin, stderr };
}

test.each([
  ["y", true],
  ["YES", true],
  ["n", false],
  ["", false],
  ["yesterday", false],
])("the response %j is %j", async (line, isConfirmed) => {
  const streams = terminal(line);
  expect(await confirm("delete all", undefined, streams)).toBe(isConfirmed);
  expect(String(streams.stderr.read())).toBe("delete all? [y/N] ");
});

test("nothing is asked when the command line has confirmed it, or the user cannot see it", async () => {
  expect(await confirm("delete all", true, terminal("n"))).toBe(true);
  const hidden = terminal("y");
  const speak = silence(hidden.stderr);
  await expect(confirm("delete all", undefined, hidden)).rejects.toThrow("add --yes to delete all");
  speak();
  expect(await confirm("delete all", undefined, hidden)).toBe(true);
  const piped = Object.assign(terminal("y"), { stdin: new PassThrough() });
  await expect(confirm("delete all", undefined, piped)).rejects.toThrow("standard input is no terminal");
});
