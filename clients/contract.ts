import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const digestFile = "clients/contract.sha256";

/** What the generated code depends on, beside `proto/`. */
const settings = ["clients/generate.ts", "clients/go/buf.gen.yaml", "clients/python/buf.gen.yaml"];

/** Notes from which contract the code of all clients was generated. @param root the folder of the repository */
export function noteContract(root: string): void {
  writeFileSync(join(root, digestFile), `${digestOf(root)}\n`);
}

/** Reports whether the code of the clients was generated from the contract as it is. Needs no compiler. */
export function isGenerated(root: string): boolean {
  return readFileSync(join(root, digestFile), "utf8").trim() === digestOf(root);
}

/** The contracts of others in `proto/` are not generated for clients. */
function digestOf(root: string): string {
  const names = readdirSync(join(root, "proto"), { recursive: true, encoding: "utf8" });
  const contract = names.filter((name) => /^(?:engage|proto)\/.+\.proto$/.test(name)).sort();
  const hash = createHash("sha256");
  for (const path of [...contract.map((name) => `proto/${name}`), ...settings]) {
    hash.update(`${path}\n`).update(readFileSync(join(root, path)));
  }
  return hash.digest("hex");
}
