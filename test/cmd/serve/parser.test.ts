import { createInterface } from "node:readline";
import { Registry } from "prom-client";
import { describe, expect, it } from "vitest";
import { logMistakes } from "../../../cmd/serve/formats.ts";
import { openParserServices } from "../../../cmd/serve/parser.ts";
import { folderWith, loadText } from "../config/load.ts";
import { createLog } from "../log-lines.ts";
import { startEngage } from "../run-engage.ts";

const format = 'formats: [{ name: a, index: a, type: json, mapping: { "#foo": a } }]';

async function warningsOf(parser: string): Promise<unknown[]> {
  const loaded = loadText(`data: ${folderWith({})}\nparser: { ${parser} }`);
  const { lines, logger } = createLog();
  const { config, locate } = loaded;
  await using _services = await openParserServices(config, { logger, locate, registry: new Registry() });
  logMistakes(loaded, logger);
  return lines.map(({ msg }) => msg);
}

describe("a start", () => {
  it.each([
    ["without formats", "", []],
    ["with another separator", 'separator: ":ta:"', []],
    [
      "with formats",
      format.replace("#foo", "foo"),
      [expect.stringMatching(/^parser\.separator is the default/)],
    ],
    ["with formats and another separator", `separator: ":ta:", ${format.replace("#foo", "foo")}`, []],
  ])("%s warns of the default separator where it is used", async (_name, parser, warnings) => {
    expect(await warningsOf(parser)).toEqual(warnings);
  });

  it("warns of what config --check finds", async () => {
    expect(await warningsOf(`separator: ":ta:", ${format}`)).toEqual([
      expect.stringMatching(
        /^engage\.yaml:2:\d+: parser\.formats\[0\]\.mapping\["#foo"\]: "#foo" is not known/,
      ),
    ]);
  });

  it("warns after it has begun to listen", async () => {
    const config = `{ listen: "127.0.0.1:0", data: data, parser: { ${format} } }`;
    const child = startEngage(["serve"], { cwd: folderWith({ "engage.yaml": config }) });
    const messages: string[] = [];
    for await (const line of createInterface({ input: child.stdout! })) {
      messages.push((JSON.parse(line) as { msg: string }).msg);
      if (line.includes("#foo")) break;
    }
    expect(messages).toContain("listening");
  });
});
