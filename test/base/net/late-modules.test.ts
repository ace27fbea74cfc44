import { on } from "node:events";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { startEngage } from "../../cmd/run-engage.ts";
import { dataFolder } from "../../cmd/webhook-server.ts";
import { ParserClient } from "../../e2e/parser-client.ts";
import { envelope, type RawAnswer, sendHttp2 } from "../../e2e/raw.ts";
import { urlOf } from "../../e2e/server-process.ts";

/** Lets a process write the modules of Node that it has loaded at a signal, and fail to load Connect's twice. */
const reporting = `
import { registerHooks } from "node:module";
process.on("SIGUSR2", () => console.error(process.moduleLoadList.join()));
let failures = 2;
registerHooks({
  resolve(specifier, context, next) {
    if (specifier === "@connectrpc/connect-node" && failures-- > 0) throw new Error("no such file");
    return next(specifier, context);
  },
});
`;

test("a server loads TLS, HTTP/2 and the handlers of Connect with the first call that needs them", async () => {
  const child = startEngage(["serve"], {
    env: {
      ENGAGE_LISTEN: "127.0.0.1:0",
      ENGAGE_DATA: dataFolder(),
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(reporting)}`,
    },
  });
  const lines = on(createInterface(child.stderr!), "line");
  const loaded = async (): Promise<readonly string[]> => {
    child.kill("SIGUSR2");
    let list = "";
    while (!list.includes("NativeModule")) [list] = (await lines.next()).value as [string];
    return ["tls", "https", "http2"].filter((name) => list.includes(`NativeModule ${name},`));
  };
  const url = await urlOf(child);
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
  const [content, headers] = [Buffer.from("1\u0002demo\u0003{}"), { "content-type": "application/json" }];
  const body = JSON.stringify({ content: content.toString("base64") });
  const overHttp1 = await fetch(`${url}/proto.Parser/Parse`, { method: "POST", headers, body });
  expect(await overHttp1.json()).toEqual({ content: expect.any(String) });
  expect(await loaded()).toEqual([]);
  const client = new ParserClient(Number(new URL(url).port));
  onTestFinished(() => client[Symbol.dispose]());
  expect(await client.parse(content)).toBeInstanceOf(Buffer);
  expect(await loaded()).toEqual(["tls", "http2"]);
  const call = (type: string): Promise<RawAnswer> =>
    sendHttp2(
      url,
      { ":path": "/proto.Parser/Parse", "content-type": type, "grpc-encoding": "gzip" },
      envelope(Buffer.alloc(0)),
    );
  for (const type of ["application/grpc-web", "application/grpc"]) {
    const { status, headers, body } = await call(type);
    expect([status, headers["x-request-id"], JSON.parse(String(body))]).toEqual([
      503,
      expect.any(String),
      { code: 14, message: expect.stringContaining("cannot load"), details: [] },
    ]);
  }
  expect((await call("application/grpc-web")).status).toBe(200);
});
