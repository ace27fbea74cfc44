import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import type { DescService } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { isReadOnly, serve } from "../../gateway/methods.ts";

const files = readdirSync("gen/engage", { recursive: true, encoding: "utf8" }).filter((name) =>
  name.endsWith(".ts"),
);
const modules = await Promise.all(
  files.map((name) => import(resolve(join("gen/engage", name))) as Promise<Record<string, unknown>>),
);
const isService = (value: unknown): value is DescService => (value as { kind?: string })?.kind === "service";
const methods = modules
  .flatMap((module) => Object.values(module))
  .filter(isService)
  .flatMap((desc) => serve(desc, {}, { returnCodes: { 3: 1, 13: 1 } as never }).methods);

/** The verbs of methods that change nothing. */
const reading = /^(?:Analyze|Check|Count|Download|Estimate|Explain|Export|Get|Health|List|Preview|Watch)/;
/** A method with such a verb which makes calls to another server. */
const acting = "engage.channel.v1.ReceiverChecker/CheckReceiver";
/** A method that changes nothing by itself: the methods that it calls for its caller check the key again. */
const passing = "engage.agent.v1.AgentTools/CallTool";

test("a method is marked as one that changes nothing if its verb says so, and no other is", () => {
  const own = methods.filter(({ name }) => !name.startsWith("engage.handler."));
  const reads = ({ name, desc }: (typeof own)[number]) =>
    name === passing || (reading.test(desc.name) && name !== acting);
  const wrong = own.filter((served) => isReadOnly(served) !== reads(served));
  expect(wrong.map(({ name }) => name)).toEqual([]);
  expect(own.filter(isReadOnly).length).toBeGreaterThan(20);
});
