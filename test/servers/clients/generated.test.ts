import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";

it.each(["python/src/engage_client/gen", "go/gen"])(
  "clients/%s is what the contract generates",
  (generated) => {
    const fresh = mkdtempSync(join(tmpdir(), "engage-generated-"));
    onTestFinished(() => rmSync(fresh, { recursive: true }));
    const [language = ""] = generated.split("/");
    execFileSync(process.execPath, ["clients/generate.ts", language, fresh]);
    const diff = ["-r", join(fresh, generated), join("clients", generated)];
    expect(execFileSync("diff", diff, { encoding: "utf8" })).toBe("");
  },
);
