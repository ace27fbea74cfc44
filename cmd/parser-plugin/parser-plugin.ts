import { writeSync } from "node:fs";
import { pluginCookie, pluginHandshake, refusePluginCookie } from "../../services/parser/plugin.ts";
import { type ConfigOptions, type LoadedConfig, loadConfig } from "../config/config.ts";
import { logMistakes } from "../serve/log/mistakes.ts";
import { startServer } from "../serve/server.ts";
import { UserError } from "../terminal/user-error.ts";

/** A shipper kills a plugin 2 s after it has told it to shut down. */
const maxDrainMs = 1500;
const parentCheckMs = 1000;

const stdoutFd = 1;
const stderrFd = 2;

/**
 * Serves as the child process of a log shipper until it says shut down, a signal comes or the shipper is gone.
 * Nothing but the handshake goes to stdout.
 */
export async function runParserPlugin(options: ConfigOptions): Promise<void> {
  const refusal = refusePluginCookie(options.env[pluginCookie.name]);
  if (refusal !== undefined) throw new UserError(refusal);
  // A user's module may print, in a worker thread too.
  process.stdout.write = process.stderr.write.bind(process.stderr);
  const loaded = loadPluginConfig(options);
  const { config, locate } = loaded;
  const ended = Promise.withResolvers<string>();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => ended.resolve(signal));
  const stopWatching = watchParent(() => ended.resolve("the shipper is gone"));
  const server = await startServer(config, {
    logFd: stderrFd,
    locate,
    onShutdownRequest: () => ended.resolve("the shipper asked for it"),
  });
  logMistakes(loaded, server.logger);
  writeSync(stdoutFd, pluginHandshake(server.address.port));
  server.logger.info({ reason: await ended.promise }, "stopping");
  stopWatching();
  await server.stop();
}

/**
 * The shipper dials loopback without TLS or a key, whatever a server with this file would ask for. Webhooks and events
 * are that server's: its inbox and its store are open to one process only.
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

/** A shipper that was killed cannot say so, but its children get another parent. */
function watchParent(onGone: () => void): () => void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid !== parent) onGone();
  }, parentCheckMs).unref();
  return () => clearInterval(timer);
}
