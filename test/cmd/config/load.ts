import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { type LoadedConfig, loadConfig } from "../../../cmd/config/config.ts";
import { ConfigError, type Problem } from "../../../cmd/config/problem.ts";
import type { OnEnd } from "../../open-for-all.ts";

/** Creates a folder with the given files, which is removed after the test. */
export function folderWith(files: Readonly<Record<string, string>>, onEnd: OnEnd = onTestFinished): string {
  const folder = mkdtempSync(join(tmpdir(), "engage-config-"));
  onEnd(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

/** Loads an engage.yaml with this text from a folder of its own. */
export function loadText(text: string, env: Readonly<Record<string, string>> = {}, files = {}): LoadedConfig {
  return loadConfig({ env, cwd: folderWith({ "engage.yaml": text, ...files }) });
}

/** Returns the problems of the text. Fails if there are none. */
export function problemsOf(
  text: string,
  env: Readonly<Record<string, string>> = {},
  files = {},
): readonly Problem[] {
  let caught: unknown;
  try {
    loadText(text, env, files);
  } catch (error) {
    caught = error;
  }
  expect(caught, `a fault in:\n${text}`).toBeInstanceOf(ConfigError);
  return (caught as ConfigError).problems;
}

/** Formats problems as `where: path: message`. */
export function linesOf(problems: readonly Problem[]): string[] {
  return problems.map(({ where, path, message }) => [where, path, message].filter(Boolean).join(": "));
}
