import { once } from "node:events";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { startEngage } from "../../cmd/run-engage.ts";
import { dataFolder } from "../../cmd/webhook-server.ts";
import { ParserClient } from "../../e2e/parser-client.ts";
import { urlOf } from "../../e2e/server-process.ts";

/** Lets a process write the modules of Node that it has loaded at a signal. */
const reporting = `process.on("SIGUSR2", () => console.error(process.moduleLoadList.join()));`;

test("a server loads TLS and HTTP/2 with the first call that needs them", async () => {
  const child = startEngage(["serve"], {
    env: {
      ENGAGE_LISTEN: "127.0.0.1:0",
      ENGAGE_DATA: dataFolder(),
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(reporting)}`,
    },
  });
  const reports = createInterface(child.stderr!);
  const loaded = async (): Promise<readonly string[]> => {
    child.kill("SIGUSR2");
    const [list] = (await once(reports, "line")) as [string];
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
});
