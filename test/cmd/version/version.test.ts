import { expect, it } from "vitest";
import { packageVersion } from "../../../base/package/root.ts";
import { loadConfig } from "../../../cmd/config/config.ts";
import { startServer } from "../../../cmd/serve/server.ts";
import { printVersion } from "../../../cmd/version/version.ts";
import { openForAll } from "../../open-for-all.ts";
import { captureOutput } from "../captured-output.ts";
import { folderWith } from "../config/load.ts";

const server = openForAll(async (onEnd) => {
  const settings = { listen: "127.0.0.1:0", data: "data", log: { level: "silent" } };
  const cwd = folderWith({ "engage.yaml": JSON.stringify(settings) }, onEnd);
  const { config, locate, describe } = loadConfig({ env: {}, cwd });
  const running = await startServer(config, { locate, describe });
  onEnd(() => running.stop());
  return { url: running.address.url, cwd };
});

async function print(options: { server?: true; json?: true }): Promise<string> {
  const { streams, written } = captureOutput();
  const { url, cwd } = server();
  await printVersion({ env: {}, cwd }, { ...options, url, timeout: 30_000 }, streams.stdout);
  return written.stdout;
}

it("says what runs, here and in a server", async () => {
  const version = packageVersion();
  const { version: nodeVersion, platform, arch } = process;
  expect(await print({})).toBe(`engage ${version}, Node.js ${nodeVersion}, ${platform} ${arch}\n`);
  expect(JSON.parse(await print({ json: true }))).toEqual({ version, nodeVersion, platform, arch });
  expect(await print({ server: true })).toMatch(
    new RegExp(`^engage ${version}, Node.js ${nodeVersion}, started at \\d{4}-\\d\\d-\\d\\dT\\S+Z\\n$`),
  );
  expect(JSON.parse(await print({ server: true, json: true }))).toMatchObject({ version, nodeVersion });
});
