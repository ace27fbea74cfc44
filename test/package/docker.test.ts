import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { packageRoot } from "../../base/package/root.ts";

const read = (name: string) => readFileSync(join(packageRoot, name), "utf8");

interface Instruction {
  readonly name: string;
  readonly args: string;
}

/** Instructions with their arguments, continuation lines joined, in stages that start with FROM. */
function stagesOf(dockerfile: string): Instruction[][] {
  const lines = dockerfile.replace(/\\\n\s*/g, " ").split("\n");
  const instructions = lines
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => /^([A-Z]+) +(.+)$/.exec(line)!)
    .map(([, name, args]) => ({ name: name!, args: args! }));
  const starts = instructions.flatMap(({ name }, i) => (name === "FROM" ? [i] : []));
  return starts.map((start, i) => instructions.slice(start, starts[i + 1]));
}

const stages = stagesOf(read("Dockerfile"));
const last = stages.at(-1)!;
const argsOf = (name: string) => last.filter((line) => line.name === name).map(({ args }) => args);

test("the image runs as a user other than root, by exec forms that signals reach", () => {
  expect(stages).toHaveLength(2);
  expect(argsOf("USER")).toEqual(["node"]);
  const names = last.map(({ name }) => name);
  expect(names.indexOf("USER")).toBeLessThan(names.indexOf("CMD"));
  expect(argsOf("CMD").map((args) => JSON.parse(args))).toEqual([
    ["node", "--v8-pool-size=1", "dist/cmd/engage.js", "serve"],
  ]);
  const [check] = argsOf("HEALTHCHECK");
  expect(JSON.parse(check!.slice(check!.indexOf("[")))).toEqual(["node", "dist/cmd/engage.js", "health"]);
});

test("all that is copied into the image is there, and not kept out by .dockerignore", () => {
  const copied = stages
    .flat()
    .filter(({ name, args }) => name === "COPY" && !args.startsWith("--from"))
    .flatMap(({ args }) => args.split(" ").slice(0, -1));
  const allowed = read(".dockerignore").split("\n").filter(Boolean);
  expect(copied.filter((name) => !existsSync(join(packageRoot, name)))).toEqual([]);
  expect(allowed[0]).toBe("*");
  expect(allowed.slice(1).map((line) => line.slice(1))).toEqual(expect.arrayContaining(copied));
});

test("the image has the major version of Node that the tests run on", () => {
  const { devDependencies } = JSON.parse(read("package.json"));
  const major = String(devDependencies.node).split(".")[0];
  expect(stages.map(([from]) => from!.args.split(" ")[0])).toEqual([
    `node:${major}-trixie-slim`,
    `node:${major}-trixie-slim`,
  ]);
});

test("the data of a container is in the volume of the image", () => {
  expect(argsOf("VOLUME")).toEqual(["/data"]);
  expect(argsOf("ENV").join()).toContain("ENGAGE_DATA=/data");
});
