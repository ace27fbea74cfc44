import { readFileSync } from "node:fs";
import { open, rename } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { packageVersion } from "../../../base/package/root.ts";
import { errorMessage } from "../../../base/text/system-error.ts";
import { UserError } from "../../terminal/user-error.ts";
import { type CopiedFile, syncFolder } from "./copy.ts";

/** The format of the file. A newer one is refused. */
const format = 1;
/** The list of the files of a backup, which is written last. */
export const listName = "backup.json";

const contentsSchema = z.strictObject({
  projects: z.int(),
  events: z.int(),
  users: z.int(),
  /** Bytes of records in the spool that the next start loads. */
  waitingBytes: z.int(),
  batches: z.int(),
  pushChannels: z.int(),
  tasks: z.int(),
  savedQueries: z.int(),
  tokens: z.int(),
});

const manifestSchema = z.object({
  format: z.int(),
  /** The version of engage that made it. */
  engage: z.string(),
  /** ISO 8601, the moment of which the copy is. */
  time: z.string(),
  /** The absolute path of the data folder. Older versions did not note it. */
  data: z.string().optional(),
  /** The random id of the data folder. Older versions did not note it. */
  dataId: z.string().optional(),
  contents: contentsSchema,
  files: z.array(z.strictObject({ path: z.string(), bytes: z.int(), sha256: z.string() })),
});

/** What the stores of a backup contain, by which a restored folder is compared. */
export type Contents = z.infer<typeof contentsSchema>;
export type Manifest = z.infer<typeof manifestSchema>;

/** Writes the list of files, without which a backup is not complete. */
export async function writeManifest(
  folder: string,
  noted: Required<Pick<Manifest, "time" | "data" | "dataId" | "contents">> & {
    readonly files: readonly CopiedFile[];
  },
): Promise<void> {
  const manifest = { format, engage: packageVersion(), ...noted };
  const draft = join(folder, `${listName}.new`);
  await using file = await open(draft, "wx", 0o600);
  await file.writeFile(`${JSON.stringify(manifest, undefined, 2)}\n`);
  await file.sync();
  await rename(draft, join(folder, listName));
  await syncFolder(folder);
}

/**
 * @param name of the list in the folder
 * @throws UserError when the backup is not complete, or of a newer version
 */
export function readManifest(folder: string, name = listName): Manifest {
  const path = join(folder, name);
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    const message = `"${folder}" is not a complete backup: ${errorMessage(error)}`;
    throw new UserError(message, { cause: error });
  }
  const read = parse(text);
  if (read === undefined) throw new UserError(`"${path}" is damaged: it is not the list of a backup`);
  if (read.format <= format) return read;
  throw new UserError(
    `"${path}" has format ${read.format}, made by engage ${read.engage}; this version knows formats up to ${format}`,
  );
}

function parse(text: string): Manifest | undefined {
  try {
    return manifestSchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
