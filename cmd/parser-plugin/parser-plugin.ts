import { writeSync } from "node:fs";
import { pluginCookie, pluginHandshake, refusePluginCookie } from "../../services/parser/plugin/plugin.ts";
import { type ConfigOptions, type LoadedConfig, loadConfig } from "../config/config.ts";
import { logMistakes } from "../serve/formats.ts";
import { startServer } from "../serve/server.ts";
import { UserError } from "../terminal/user-error.ts";

/** A shipper kills a plugin 2 s after the request to shut down. */
const maxDrainMs = 1500;
const parentCheckMs = 1000;

const stdoutFd = 1;
const stderrFd = 2;

/**
 * Serves as the child process of a log shipper until the shipper requests a shutdown or ends, or a signal arrives.
 * Only the handshake is written to standard output.
 */
export async function runParserPlugin(options: ConfigOptions): Promise<void> {
  const refusal = refusePluginCookie(options.env[pluginCookie.name]);
  if (refusal !== undefined) throw new UserError(refusal);
  // A user's module may print, also in a worker thread.
  process.stdout.write = process.stderr.write.bind(process.stderr);
  const loaded = loadPluginConfig(options);
  const { config, locate } = loaded;
  const ended = Promise.withResolvers<string>();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => ended.resolve(signal));
  const stopWatching = watchParent(() => ended.resolve("the shipper has ended"));
  const server = await startServer(config, {
    logFd: stderrFd,
    locate,
    onShutdownRequest: () => ended.resolve("the shipper requested it"),
  });
  logMistakes(loaded, server.logger);
  writeSync(stdoutFd, pluginHandshake(server.address.port));
  server.logger.info({ reason: await ended.promise }, "stopping");
  stopWatching();
  await server.stop();
}

/**
 * Loads the configuration without TLS and keys, since the shipper calls loopback without them, and without webhooks
 * and events, whose stores only the server may open.
 */
function loadPluginConfig({ env, ...rest }: ConfigOptions): LoadedConfig {
  const overrides = { ENGAGE_LISTEN: "127.0.0.1:0", ENGAGE_AUTH_MODE: "off" };
  const loaded = loadConfig({ ...rest, env: { ...env, ...overrides } });
  const { config } = loaded;
  const webhook = { ...config.webhook, channels: {}, targets: {} };
  const drainMs = Math.min(config.drainMs, maxDrainMs);
  const parser = { ...config.parser, store: undefined };
  return { ...loaded, config: { ...config, tls: undefined, projects: [], parser, webhook, drainMs } };
}

/** Detects that the shipper was killed: its children get another parent. */
function watchParent(onGone: () => void): () => void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid !== parent) onGone();
  }, parentCheckMs).unref();
  return () => clearInterval(timer);
}
