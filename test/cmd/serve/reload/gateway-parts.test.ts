import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "node:tls";
import { expect, it, onTestFinished } from "vitest";
import { loadConfig } from "../../../../cmd/config/config.ts";
import { startServer } from "../../../../cmd/serve/server.ts";
import { folderWith } from "../../config/load.ts";

it("takes a certificate whose files were replaced, and leaves whether callers need one to a restart", async () => {
  const pem = (name: string) => readFileSync(`test/testdata/tls/${name}`, "utf8");
  const tls = { cert: "server.pem", key: "server.key" };
  const files = { "server.pem": pem("server.pem"), "server.key": pem("server.key"), "ca.pem": pem("ca.pem") };
  const cwd = folderWith({ ...files, "engage.yaml": "" });
  const load = (changes: object) => {
    const settings = { listen: "127.0.0.1:0", data: "data", log: { level: "silent" }, drainMs: 0, tls };
    writeFileSync(join(cwd, "engage.yaml"), JSON.stringify({ ...settings, ...changes }));
    return loadConfig({ env: {}, cwd });
  };
  const running = await startServer(load({}).config);
  onTestFinished(() => running.stop());
  const shown = async () => {
    const { port } = running.address;
    const socket = connect({ port, host: "127.0.0.1", rejectUnauthorized: false });
    onTestFinished(() => void socket.destroy());
    await once(socket, "secureConnect");
    return socket.getPeerX509Certificate()?.fingerprint256;
  };
  const fingerprint = (name: string) => new X509Certificate(pem(name)).fingerprint256;
  expect(await shown()).toBe(fingerprint("server.pem"));
  writeFileSync(join(cwd, "server.pem"), pem("stranger.pem"));
  expect(() => load({})).toThrow("tls.key");
  writeFileSync(join(cwd, "server.key"), pem("stranger.key"));
  const report = { applied: ["tls.cert", "tls.key"], needRestart: [] };
  expect(await running.reload(load({}))).toEqual(report);
  expect(await shown()).toBe(fingerprint("stranger.pem"));
  expect(await running.reload(load({ tls: { ...tls, ca: "ca.pem" } }))).toEqual({
    applied: [],
    needRestart: ["tls.ca"],
  });
});
