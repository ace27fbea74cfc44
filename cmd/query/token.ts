import { type ConfigOptions, loadConfig } from "../config/config.ts";

/** For the server of the configuration, the first token that stands in it. */
export function configuredToken(options: ConfigOptions, url: string | undefined): string | undefined {
  if (url !== undefined) return undefined;
  return loadConfig(options).config.analysis.tokens.find(({ token }) => token !== undefined)?.token;
}
