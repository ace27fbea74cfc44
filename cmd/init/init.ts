import { randomBytes } from "node:crypto";
import { existsSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { sha256Hex } from "../../base/text/digest.ts";
import { loadConfig } from "../config/config.ts";
import { cannotWrite } from "../terminal/file-fault.ts";
import { type Output, writeForeign } from "../terminal/terminal.ts";
import { UsageError, UserError } from "../terminal/user-error.ts";
import { askAll, type QuestionStreams } from "./questions.ts";
import { type Answers, needsKey, writeTemplate } from "./template.ts";

export interface InitOptions extends Partial<Answers> {
  /** Takes the proposed answers. */
  readonly yes?: boolean;
  /** Replaces an existing file. */
  readonly force?: boolean;
  readonly json?: boolean;
}

export interface InitStreams extends QuestionStreams {
  readonly stdout: Output;
  readonly cwd: string;
}

/** Asks a few questions and writes a configuration file. @throws UserError */
export async function runInit(file: string, options: InitOptions, streams: InitStreams): Promise<void> {
  const { stdin, stdout, cwd } = streams;
  if (!options.yes && stdin.isTTY !== true)
    throw new UsageError("add --yes to take the proposed values: standard input is no terminal");
  const answers = await askAll(options, !options.yes, streams);
  const secret = (): string => randomBytes(32).toString("base64url");
  const [token, key, webhookSecret] = [`engage_${secret()}`, `engage_${secret()}`, secret()];
  const digests = { tokenSha256: sha256Hex(token), keySha256: sha256Hex(key), webhookSecret };
  write(resolve(cwd, file), writeTemplate(answers, digests), options.force === true, (draft) =>
    loadConfig({ env: {}, cwd, file: draft }),
  );
  const secrets = {
    token,
    ...(needsKey(answers) && { key }),
    ...(answers.webhook !== "" && { webhookSecret }),
  };
  if (options.json) stdout.write(`${JSON.stringify({ file, ...secrets })}\n`);
  else writeForeign(stdout, describe(file, secrets));
}

/** Writes a file for its owner alone, once `check` has accepted it. */
function write(path: string, text: string, replaces: boolean, check: (draft: string) => void): void {
  if (!replaces && existsSync(path))
    throw new UserError(`${JSON.stringify(path)} exists, add --force to replace it`);
  const draft = `${path}.new`;
  try {
    rmSync(draft, { force: true });
    writeFileSync(draft, text, { mode: 0o600, flag: "wx" });
  } catch (error) {
    throw cannotWrite(path, error);
  }
  try {
    check(draft);
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

const meanings: Readonly<Record<string, string>> = {
  token: "query token; it is shown only once",
  key: "key of callers; it is shown only once",
  webhookSecret: "secret of the webhook channel, for the platform",
};

function describe(file: string, secrets: Readonly<Record<string, string>>): string {
  const lines = Object.entries(secrets).map(([name, value]) => `${meanings[name]}:\n\n  ${value}\n\n`);
  return `${file} is written\n\n${lines.join("")}start the server with: engage serve --config ${file}\n`;
}
