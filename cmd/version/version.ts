import { timestampDate } from "@bufbuild/protobuf/wkt";
import { packageVersion } from "../../base/package/root.ts";
import { GetVersionResponseSchema, Settings } from "../../gen/engage/operations/v1/settings_pb.ts";
import { type ServerOptions, withClient } from "../client/rpc-client.ts";
import type { ConfigOptions } from "../config/config.ts";
import { writeJson } from "../terminal/messages.ts";
import { type Output, writeForeign } from "../terminal/terminal.ts";

export interface VersionOptions extends ServerOptions {
  /** Asks a running server instead of this program. */
  readonly server?: true;
  readonly json?: true;
}

/** Prints the version of engage and of what runs it. @throws UserError when the server cannot be asked */
export async function printVersion(
  config: ConfigOptions,
  options: VersionOptions,
  stdout: Output,
): Promise<void> {
  if (options.server) return await printServerVersion(config, options, stdout);
  const { version: nodeVersion, platform, arch } = process;
  const own = { version: packageVersion(), nodeVersion, platform, arch };
  if (options.json) stdout.write(`${JSON.stringify(own)}\n`);
  else stdout.write(`engage ${own.version}, Node.js ${nodeVersion}, ${platform} ${arch}\n`);
}

async function printServerVersion(
  config: ConfigOptions,
  options: VersionOptions,
  stdout: Output,
): Promise<void> {
  await withClient(Settings, config, options, async (client) => {
    const response = await client.getVersion({});
    if (options.json) return writeJson(stdout, GetVersionResponseSchema, [response]);
    const { version, nodeVersion, startedTime } = response;
    const since = startedTime === undefined ? "" : `, started at ${timestampDate(startedTime).toISOString()}`;
    writeForeign(stdout, `engage ${version}, Node.js ${nodeVersion}${since}\n`);
  });
}
