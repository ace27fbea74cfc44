import {
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { describeReason } from "../../../base/text/system-error.ts";
import { createTokenList, type TokenList } from "../../../services/analysis/admission/tokens.ts";
import { UserError } from "../../terminal/user-error.ts";

const tokenSchema = z.strictObject({
  name: z.string().min(1),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  projects: z.union([z.literal("*"), z.array(z.int().min(1)).min(1)]),
  rateLimit: z.strictObject({ perSecond: z.number().positive(), burst: z.int().min(1) }).optional(),
  /** ISO 8601 */
  created: z.iso.datetime(),
});

const fileSchema = z.strictObject({ tokens: z.array(tokenSchema) });

/** A token in the file, which contains its hash instead of the token itself. */
export type StoredToken = z.output<typeof tokenSchema>;

export function tokenFileOf(dataFolder: string): string {
  return join(dataFolder, "tokens.json");
}

/** Returns no tokens if the file does not exist. @throws UserError if it cannot be read or has another form */
export function readTokenFile(file: string): readonly StoredToken[] {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return [];
    throw new UserError(`cannot read ${JSON.stringify(file)}: ${describeReason(error)}`, { cause: error });
  }
  const parsed = fileSchema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data.tokens;
  const [issue] = parsed.error.issues;
  const place = issue?.path.join(".") || "the file";
  throw new UserError(`${JSON.stringify(file)} is not a list of tokens: ${place}: ${issue?.message}`);
}

/**
 * Replaces the file in one step: readers see the old tokens or the new ones. While one command changes the file, another
 * one is refused.
 * @throws UserError
 */
export function changeTokenFile(
  file: string,
  change: (tokens: readonly StoredToken[]) => readonly StoredToken[],
): void {
  const draft = `${file}.new`;
  const handle = openDraft(draft);
  try {
    try {
      const tokens = change(readTokenFile(file));
      writeSync(handle, `${JSON.stringify({ tokens }, undefined, 2)}\n`);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

function openDraft(draft: string): number {
  try {
    return openSync(draft, "wx", 0o600);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") {
      const message = `another command is changing the tokens; if none is, delete ${JSON.stringify(draft)}`;
      throw new UserError(message, { cause: error });
    }
    throw new UserError(`cannot write ${JSON.stringify(draft)}: ${describeReason(error)}`, { cause: error });
  }
}

export interface TokenFileOptions {
  /** Milliseconds that never go back. */
  readonly now: () => number;
  /** Called when the file cannot be read again. The tokens that were read last remain valid. */
  readonly failed: (error: unknown) => void;
}

/** A change of the file takes effect within this time. */
const checkMs = 1_000;

/** Opens the tokens of the file, which is read again when it changes. @throws UserError if it cannot be read at first */
export function openTokenFile(file: string, { now, failed }: TokenFileOptions): TokenList {
  let stamp = stampOf(file);
  let tokens = createTokenList(readTokenFile(file));
  let checkedMs = now();
  return {
    find(token) {
      const nowMs = now();
      if (nowMs - checkedMs >= checkMs) {
        checkedMs = nowMs;
        const present = stampOf(file);
        if (present !== stamp) {
          stamp = present;
          try {
            tokens = createTokenList(readTokenFile(file));
          } catch (error) {
            failed(error);
          }
        }
      }
      return tokens.find(token);
    },
  };
}

/** Returns a text that differs after the file was changed or replaced. */
function stampOf(file: string): string {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats === undefined ? "" : `${stats.ino} ${stats.mtimeMs} ${stats.size}`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
