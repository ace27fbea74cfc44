import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { makePrivateFolder } from "../../../base/files/private.ts";
import { cannotWrite } from "../../terminal/file-fault.ts";

/**
 * Returns the random id in a file of a data folder, which tells this folder from others at the same path. The first
 * call makes it.
 * @throws UserError when it cannot be written
 */
export function folderId(file: string): string {
  const id = existsSync(file) ? readFileSync(file, "utf8").trim() : "";
  return id === "" ? makeId(file) : id;
}

function makeId(file: string): string {
  const id = randomUUID();
  const draft = `${file}.${id}`;
  try {
    makePrivateFolder(dirname(file));
    writeFileSync(draft, `${id}\n`, { mode: 0o600, flag: "wx", flush: true });
    renameSync(draft, file);
  } catch (error) {
    throw cannotWrite(file, error);
  }
  // Another command may have made one at the same time.
  return readFileSync(file, "utf8").trim();
}
