import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, vi } from "vitest";
import { createIdentity } from "../../cmd/config/certificate.ts";
import { freePort } from "../ports.ts";

const identity = createIdentity();

export interface Balancer extends AsyncDisposable {
  readonly port: number;
  /** The certificate of the port, PEM. */
  readonly cert: string;
  /** Everything that nginx has logged. */
  logs(): string;
}

/** Starts nginx with `deploy/nginx/nginx.conf` in front of two replicas on these ports of loopback. */
export async function startBalancer(replicas: readonly [number, number]): Promise<Balancer> {
  const folder = mkdtempSync(join(tmpdir(), "engage-balancer-"));
  const port = await freePort();
  const file = join(folder, "nginx.conf");
  writeFileSync(file, adapt(readFileSync("deploy/nginx/nginx.conf", "utf8"), folder, port, replicas));
  writeFileSync(join(folder, "cert.pem"), identity.cert);
  writeFileSync(join(folder, "key.pem"), identity.key);
  const args = ["-p", folder, "-c", file, "-g", "daemon off; master_process off;"];
  const check = spawnSync("nginx", ["-t", ...args], { encoding: "utf8" });
  expect(check.stderr).toContain("test is successful");
  expect(check.stderr).not.toContain("[warn]");
  const nginx = spawn("nginx", args, { stdio: "ignore" });
  await vi.waitFor(() => reach(port), { timeout: 10_000 });
  return {
    port,
    cert: identity.cert,
    logs: () => ["access.log", "error.log"].map((name) => readFileSync(join(folder, name), "utf8")).join(""),
    async [Symbol.asyncDispose]() {
      const ended = once(nginx, "exit");
      nginx.kill("SIGTERM");
      await ended;
      rmSync(folder, { recursive: true });
    },
  };
}

/**
 * Replaces what only holds in a container: addresses, folders, and what needs a newer nginx than Debian's. That one
 * serves HTTP/1.1 and HTTP/2 on one port only over TLS, and looks up addresses of servers at its start.
 */
function adapt(text: string, folder: string, port: number, replicas: readonly number[]): string {
  const servers = replicas.map((replica) => `server 127.0.0.1:${replica} max_fails=0;`).join(" ");
  const changes: readonly (readonly [string, string])[] = [
    [" /tmp/", ` ${folder}/`],
    ["server replica:8080 resolve max_fails=0;", servers],
    ["resolver 127.0.0.11 valid=5s ipv6=off;", ""],
    ["listen 8080;", `listen 127.0.0.1:${port} ssl http2;`],
    ["http2 on;", `ssl_certificate ${folder}/cert.pem; ssl_certificate_key ${folder}/key.pem;`],
    ["access_log /dev/stdout calls;", `access_log ${folder}/access.log calls;`],
    ["error_log stderr crit;", `error_log ${folder}/error.log crit;`],
  ];
  return changes.reduce((changed, [from, to]) => {
    expect(changed).toContain(from);
    return changed.replaceAll(from, to);
  }, text);
}

async function reach(port: number): Promise<void> {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  socket.destroy();
}
