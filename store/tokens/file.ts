import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";
import { makePrivateFolder } from "../../base/files/private.ts";
import { describeReason } from "../../base/text/system-error.ts";
import {
  type FollowedTokens,
  type StoredToken,
  type TokenStore,
  TokensOpenError,
  TokensUnavailableError,
} from "./tokens.ts";

const tokenSchema = z.strictObject({
  name: z.string().min(1),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  projects: z.union([z.literal("*"), z.array(z.int().min(1)).min(1)]),
  rateLimit: z.strictObject({ perSecond: z.number().positive(), burst: z.int().min(1) }).optional(),
  /** ISO 8601 */
  created: z.iso.datetime(),
});

const fileSchema = z.strictObject({ tokens: z.array(tokenSchema) });

export interface FileTokensOptions {
  /** Created with mode 0600, its folder with 0700, by the first token. */
  readonly file: string;
  /** Milliseconds that never go back. */
  readonly now?: () => number;
}

/**
 * Stores tokens in a file of JSON, which may also be edited. While one process changes the file, others are refused.
 */
export function openFileTokens({ file, now = () => performance.now() }: FileTokensOptions): TokenStore {
  return {
    list: async () => readTokenFile(file),
    async add(token) {
      makePrivateFolder(dirname(file));
      return changeTokenFile(file, (tokens) =>
        tokens.some(({ name }) => name === token.name) ? undefined : [...tokens, token],
      );
    },
    async remove(name) {
      if (!existsSync(file)) return false;
      return changeTokenFile(file, (tokens) => {
        const left = tokens.filter((token) => token.name !== name);
        return left.length < tokens.length ? left : undefined;
      });
    },
    follow: async (failed) => followTokenFile(file, now, failed),
    async [Symbol.asyncDispose]() {},
  };
}

/** Returns no tokens if the file does not exist. */
function readTokenFile(file: string): readonly StoredToken[] {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return [];
    throw new TokensOpenError(`cannot read ${JSON.stringify(file)}: ${describeReason(error)}`, {
      cause: error,
    });
  }
  const parsed = fileSchema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data.tokens;
  const [issue] = parsed.error.issues;
  const place = issue?.path.join(".") || "the file";
  throw new TokensOpenError(`${JSON.stringify(file)} is not a list of tokens: ${place}: ${issue?.message}`);
}

/**
 * Replaces the file in one step: readers see the old tokens or the new ones. Leaves it as it is and returns false when
 * there is nothing to change.
 */
function changeTokenFile(
  file: string,
  change: (tokens: readonly StoredToken[]) => readonly StoredToken[] | undefined,
): boolean {
  const draft = `${file}.new`;
  const handle = openDraft(draft);
  try {
    try {
      const tokens = change(readTokenFile(file));
      if (tokens === undefined) {
        rmSync(draft);
        return false;
      }
      writeSync(handle, `${JSON.stringify({ tokens }, undefined, 2)}\n`);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(draft, file);
    return true;
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
      throw new TokensUnavailableError(message, { cause: error });
    }
    throw new TokensUnavailableError(`cannot write ${JSON.stringify(draft)}: ${describeReason(error)}`, {
      cause: error,
    });
  }
}

/** A change of the file takes effect within this time. */
const checkMs = 1_000;

/** Returns the tokens of the file, which is read again when it changes. */
function followTokenFile(file: string, now: () => number, failed: (error: unknown) => void): FollowedTokens {
  let stamp = stampOf(file);
  let tokens = readTokenFile(file);
  let checkedMs = now();
  function check(): void {
    const present = stampOf(file);
    if (present === stamp) return;
    stamp = present;
    try {
      tokens = readTokenFile(file);
    } catch (error) {
      failed(error);
    }
  }
  return {
    current() {
      const nowMs = now();
      if (nowMs - checkedMs >= checkMs) {
        checkedMs = nowMs;
        check();
      }
      return tokens;
    },
    [Symbol.dispose]() {},
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
