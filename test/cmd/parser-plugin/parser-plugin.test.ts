import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import {
  create,
  type DescMessage,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from "@bufbuild/protobuf";
import { Client, credentials } from "@grpc/grpc-js";
import { expect, onTestFinished, test } from "vitest";
import { packageRoot } from "../../../base/package/root.ts";
import {
  HealthCheckRequestSchema,
  HealthCheckResponse_ServingStatus,
  HealthCheckResponseSchema,
} from "../../../gen/grpc/health/v1/health_pb.ts";
import { EmptySchema } from "../../../gen/plugin/grpc_controller_pb.ts";
import { RequestSchema, ResponseSchema } from "../../../gen/proto/parser_pb.ts";
import { folderWith } from "../config/load.ts";
import { runEngage, startEngage } from "../run-engage.ts";

const cookie = { LogBus: "v2" };

interface Plugin {
  readonly child: ChildProcess;
  readonly client: Client;
  /** All that ever came on stdout, once it has ended. */
  readonly stdout: Promise<string>;
}

/** Does what a shipper does: starts the child, waits for the first line and dials the address in it. */
async function launch(args: readonly string[] = [], env = {}, cwd = folderWith({})): Promise<Plugin> {
  const child = startEngage(["parser-plugin", ...args], { cwd, env: { ...cookie, ...env } });
  child.stderr!.resume();
  const stdout = text(child.stdout!);
  const [first] = (await once(child.stdout!, "data")) as [Buffer];
  const address = /^1\|1\|tcp\|(127\.0\.0\.1:\d+)\|grpc\n$/.exec(String(first))![1]!;
  const client = new Client(address, credentials.createInsecure());
  onTestFinished(() => client.close());
  return { child, client, stdout };
}

/** A unary call by a client that shares no transport with the server. */
function call<I extends DescMessage, O extends DescMessage>(
  client: Client,
  method: string,
  [input, value]: readonly [I, MessageInitShape<I>],
  output: O,
): Promise<MessageShape<O>> {
  const { promise, resolve, reject } = Promise.withResolvers<MessageShape<O>>();
  client.makeUnaryRequest(
    method,
    (message: MessageShape<I>) => Buffer.from(toBinary(input, message)),
    (bytes: Buffer) => fromBinary(output, bytes),
    create(input, value),
    { deadline: Date.now() + 20_000 },
    (error, answer) => (error === null ? resolve(answer!) : reject(error)),
  );
  return promise;
}

const parse = async ({ client }: Plugin, content: string) => {
  const request = [RequestSchema, { content: Buffer.from(content) }] as const;
  return Buffer.from((await call(client, "/proto.Parser/Parse", request, ResponseSchema)).content).toString();
};
const checkHealth = async ({ client }: Plugin) => {
  const request = [HealthCheckRequestSchema, { service: "plugin" }] as const;
  return (await call(client, "/grpc.health.v1.Health/Check", request, HealthCheckResponseSchema)).status;
};
const shutDown = ({ client }: Plugin) =>
  call(client, "/plugin.GRPCController/Shutdown", [EmptySchema, {}], EmptySchema);

const record = '{"#type":"track","#account_id":"a"}';

test("a shipper starts it, checks its health, sends lines and shuts it down", async () => {
  const plugin = await launch();
  const ended = once(plugin.child, "close");
  expect(await checkHealth(plugin)).toBe(HealthCheckResponse_ServingStatus.SERVING);
  expect(await parse(plugin, `a|ta|${record}:ta:a|ta|no:ta:a|ta|${record}`)).toBe(
    `${record}:ta:{}:ta:${record}`,
  );
  await shutDown(plugin);
  expect(await ended).toEqual([0, null]);
  expect(await plugin.stdout).toMatch(/^1\|1\|tcp\|127\.0\.0\.1:\d+\|grpc\n$/);
});

test("optional services of the convention are not supported, which a shipper can do without", async () => {
  const { client } = await launch();
  const streamed = call(client, "/plugin.GRPCStdio/StreamStdio", [EmptySchema, {}], EmptySchema);
  await expect(streamed).rejects.toMatchObject({ code: 12 });
});

test("it listens on loopback, without TLS and keys, whatever the file says for a server", async () => {
  const yaml = `
listen: 0.0.0.0:8080
auth: { keys: [{ name: a, sha256: "${"a".repeat(64)}" }] }
parser: { separator: "//", formats: [{ name: all, index: "*", type: pass_through }] }`;
  const plugin = await launch([], {}, folderWith({ "engage.yaml": yaml }));
  expect(await parse(plugin, `a|ta|${record}//a|ta|${record}`)).toBe(`${record}//${record}`);
});

test("what a user's module prints does not reach stdout", async () => {
  const module =
    'console.log("loaded");\nexport const parse = (line) => { console.log(line); return { line }; };';
  const yaml =
    "parser: { separator: ':ta:', formats: [{ name: m, index: '*', type: module, module: ./m.mjs }] }";
  const plugin = await launch([], {}, folderWith({ "engage.yaml": yaml, "m.mjs": module }));
  expect(await parse(plugin, "a|ta|x")).toBe('{"line":"x"}');
  await shutDown(plugin);
  expect(await plugin.stdout).toMatch(/^1\|1\|tcp\|[^\n]+\|grpc\n$/);
});

test.each(["SIGTERM", "SIGINT"] as const)("%s ends it cleanly", async (signal) => {
  const { child } = await launch();
  child.kill(signal);
  expect(await once(child, "close")).toEqual([0, null]);
});

test("it ends when the shipper was killed", async () => {
  const node = join(packageRoot, "node_modules/.bin/node");
  const args = JSON.stringify([join(packageRoot, "cmd/engage.ts"), "parser-plugin"]);
  const script = `require("node:child_process").spawn(process.execPath, ${args}, { stdio: "inherit" })`;
  const shipper = spawn(node, ["-e", script], { env: { ...process.env, ...cookie }, cwd: folderWith({}) });
  onTestFinished(() => void shipper.kill("SIGKILL"));
  shipper.stderr.resume();
  const all = text(shipper.stdout);
  await once(shipper.stdout, "data");
  shipper.kill("SIGKILL");
  // The pipe ends when the last process that holds it has ended.
  expect(await all).toMatch(/^1\|1\|tcp\|/);
});

const strangers = [
  [{}, "it is not set"],
  [{ LogBus: "v1" }, 'it is "v1"'],
] as const;

test.each(strangers)("with the environment %j it says who starts it", async (env, message) => {
  const { code, stdout, stderr } = await runEngage(["parser-plugin"], { env });
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toContain(message);
});

test("a wrong configuration is reported on stderr and never on stdout", async () => {
  const cwd = folderWith({
    "engage.yaml": "parser: { formats: [{ name: a, index: a, type: regex, pattern: '(' }] }",
  });
  const { code, stdout, stderr } = await runEngage(["parser-plugin"], { env: cookie, cwd });
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(/engage\.yaml:1:\d+: parser\.formats\[0\]\.pattern: /);
});
