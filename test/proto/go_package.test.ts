import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

const files = readdirSync("proto", { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".proto"))
  .sort();
const goPackageOf = (file: string): string | undefined =>
  /^option go_package = "([^"]+)";$/m.exec(readFileSync(join("proto", file), "utf8"))?.[1];
const isPublicContract = (file: string) => /^(?:google|grpc)\//.test(file);

// protoc-gen-go refuses a file without one, and with it every file that imports it.
test.each(files)("%s names its Go package", (file) => {
  expect(goPackageOf(file)).toMatch(/^[\w.-]+(?:\/[\w.-]+)+(?:;[a-z]\w*)?$/);
});

test.each(files.filter((file) => !isPublicContract(file)))("%s has the Go package of its folder", (file) => {
  expect(goPackageOf(file)?.split(";")[0]).toBe(`engage/gen/go/${dirname(file)}`);
});

// A Go program that links the usual packages of these contracts must not link a second declaration of their names.
test.each(files.filter(isPublicContract))("%s has the Go package that everybody imports", (file) => {
  expect(goPackageOf(file)).toMatch(/^google\.golang\.org\//);
});
