import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import {
  makePrivateFile,
  makePrivateFolder,
  tighten,
  tightenAll,
  tightenLater,
} from "../../../base/files/private.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "private-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const at = (...names: readonly string[]): string => join(folder, ...names);
const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

function openFile(path: string, mode = 0o666): string {
  writeFileSync(path, "x");
  chmodSync(path, mode);
  return path;
}

it("makes folders and files for this user alone", () => {
  makePrivateFolder(at("a", "b"));
  makePrivateFile(at("a", "b", "c"));
  expect([modeOf(at("a")), modeOf(at("a", "b")), modeOf(at("a", "b", "c"))]).toEqual(["700", "700", "600"]);
});

it.each([0o666, 0o644, 0o640, 0o604])(
  "takes a file of mode %o away from others, and keeps what is in it",
  async (mode) => {
    makePrivateFile(openFile(at("made"), mode));
    tighten(openFile(at("tightened"), mode));
    await tightenLater(openFile(at("later"), mode));
    expect(["made", "tightened", "later"].map((name) => modeOf(at(name)))).toEqual(["600", "600", "600"]);
    expect(statSync(at("made")).size).toBe(1);
  },
);

it("makes no file where a folder is, which stays as it is", () => {
  mkdirSync(at("a"));
  chmodSync(at("a"), 0o755);
  expect(() => makePrivateFile(at("a"))).toThrow("EISDIR");
  expect(modeOf(at("a"))).toBe("755");
});

it("leaves what is private, missing, or no file as it is", async () => {
  openFile(at("private"), 0o400);
  openFile(at("target"), 0o644);
  symlinkSync(at("target"), at("link"));
  for (const name of ["private", "missing", "link"]) tighten(at(name));
  await tightenLater(at("missing"));
  expect([modeOf(at("private")), modeOf(at("target"))]).toEqual(["400", "644"]);
});

it("tightens a folder with all that is in it", () => {
  mkdirSync(at("a", "b"), { recursive: true });
  chmodSync(at("a"), 0o755);
  chmodSync(at("a", "b"), 0o777);
  openFile(at("a", "b", "c"));
  tightenAll(at("a"));
  expect([at("a"), at("a", "b"), at("a", "b", "c")].map(modeOf)).toEqual(["700", "700", "600"]);
});
