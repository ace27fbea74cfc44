import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { sha256Hex } from "../../../base/text/digest.ts";
import { createServerAuth } from "../../../cmd/serve/server-auth.ts";
import { loadText } from "../config/load.ts";

const settings = (key: string) =>
  loadText(JSON.stringify({ auth: { mode: "keys", keys: [{ name: "ops", sha256: sha256Hex(key) }] } }))
    .config;

test("wrong keys at sign-in count over a change of the keys", async () => {
  const { sessions, part } = createServerAuth(settings("key-first"));
  const server = createServer(async (request, response) => {
    const { status = 200 } = await sessions.endpoint.respond(request);
    response.writeHead(status).end();
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const signIn = async (key: string) =>
    (await fetch(url, { method: "POST", headers: { origin: url }, body: JSON.stringify({ key }) })).status;
  for (let i = 0; i < 10; i++) expect(await signIn(`wrong-${i}`)).toBe(401);
  (
    await part.prepare(settings("key-second"), (path) => ({ where: "", path: `${path}`, message: "" }))
  ).apply();
  expect(await signIn("key-second")).toBe(429);
});
