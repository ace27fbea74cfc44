import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import {
  type ChannelClient,
  type ChannelOutput,
  createChannel,
  deleteChannel,
  printChannel,
  printChannels,
  updateChannel,
} from "../../../cmd/channel/channel.ts";
import { testChannel } from "../../../cmd/channel/test-message.ts";
import { withClient } from "../../../cmd/client/rpc-client.ts";
import { ChannelSender } from "../../../gen/engage/channel/v1/channel_sender_pb.ts";
import { openForAll } from "../../open-for-all.ts";
import { captureOutput } from "../captured-output.ts";
import { openChannelServer } from "../channel-server.ts";
import { runEngage } from "../run-engage.ts";

const shared = openForAll((onEnd) => openChannelServer({ onEnd }));

/** Runs a command on the server and returns what it has written. */
async function run<T>(
  work: (client: ChannelClient, output: ChannelOutput) => Promise<T>,
  { json, input }: { readonly json?: true; readonly input?: string } = {},
): Promise<{ readonly stdout: string; readonly stderr: string; readonly result: T }> {
  const { streams, written } = captureOutput(input);
  const { url, cwd } = shared();
  const result = await withClient(ChannelSender, { env: {}, cwd }, { url, timeout: 30_000 }, (client) =>
    work(client, { ...streams, json }),
  );
  return { ...written, result };
}

const show = async (channel: string) =>
  parse((await run((client, output) => printChannel(client, channel, output))).stdout) as object;

/** Creates a channel of this name with two requests per second. */
const create = (name: string) =>
  run((client, output) => {
    const { receiverUrl } = shared();
    const fields = {
      name,
      project: 1,
      receiver: receiverUrl,
      pushIdProperty: "#account_id",
      secret: "s3cret",
    };
    const set = [
      "delivery.rate_limit=2",
      "content_template=[{name: title, input_method: text, default_value: Hi}]",
    ];
    return createChannel(client, undefined, { ...fields, set }, output);
  });

describe("channel list", () => {
  it("shows channels by name, those of a project, and whether there are more", async () => {
    await create("list b");
    await create("list a");
    const list = (options: { project?: number; limit: number }) =>
      run((client, output) => printChannels(client, options, output));
    const { stdout } = await list({ limit: 100 });
    expect(stdout).toMatch(/^CHANNEL +NAME +PROJECT +PUSH ID +SIGNED +UPDATED +URL\n/);
    expect(stdout).toMatch(/\nc\d+ +list a +1 +#account_id +yes +\S+ \S+ +http.*\nc\d+ +list b /);
    expect((await list({ project: 2, limit: 100 })).stdout).toBe("no channels\n");
    expect((await list({ limit: 1 })).stderr).toBe(
      "the first 1 are shown, a larger --limit shows what follows\n",
    );
  });
});

describe("channel create", () => {
  it("reads a file, in which input methods are words", async () => {
    const file = join(shared().cwd, "created.yaml");
    const text = `name: of a file
project_id: 1
url: ${shared().receiverUrl}
push_id_property: "#account_id"
content_template:
  - {name: title, input_method: dynamic_text}
  - {name: items, input_method: array_row, columns: [id]}
`;
    writeFileSync(file, text);
    const { stdout } = await run((client, output) => createChannel(client, file, {}, output), { json: true });
    const [title, items] = (JSON.parse(stdout) as { contentTemplate: object[] }).contentTemplate;
    expect([title, items]).toMatchObject([
      { name: "title", inputMethod: "INPUT_METHOD_DYNAMIC_TEXT" },
      { name: "items", inputMethod: "INPUT_METHOD_ARRAY_ROW", columns: ["id"] },
    ]);
  });

  it("reads standard input, which options override", async () => {
    const { stdout } = await run(
      (client, output) => createChannel(client, "-", { name: "1e3", project: 1 }, output),
      { input: `{"name": "other", "url": "${shared().receiverUrl}", "push_id_property": "#account_id"}` },
    );
    expect(stdout).toMatch(/^channel c\d+ \(1e3\) is created\n$/);
  });

  it.each([
    [{}, undefined, "give a file, or fields such as --name and --set"],
    [{ set: ["name"] }, undefined, '--set is "name", must be a pair such as "delivery.batch_size=50"'],
    [
      { set: ["delivery.batchsize=1"] },
      undefined,
      'delivery.batchsize: is not a known member, the nearest is "batchSize"',
    ],
    [
      { set: ["delivery.batch_size=many"] },
      undefined,
      'the command line is not a channel: delivery.batch_size: "many" is not an int32',
    ],
    [{}, "[1]", "standard input is not a channel: it must be an object with name, project_id, url"],
    [{}, "{", "standard input is not YAML"],
    [
      {},
      "name: a\ncontent_template: [{input_method: txt}]",
      'content_template[0].input_method: "txt" is not',
    ],
    [{ name: "a" }, undefined, "channel.project_id is required"],
  ])("refuses %j and the file %j", async (options, input, message) => {
    const created = run(
      (client, output) => createChannel(client, input === undefined ? undefined : "-", options, output),
      { input: input ?? "" },
    );
    await expect(created).rejects.toThrow(message);
  });
});

describe("channel update", () => {
  it("changes the given fields, and keeps the others and the secret", async () => {
    await create("changed");
    const before = await show("changed");
    const { stdout } = await run((client, output) => {
      const set = ["delivery.retries=3", "delivery.rateLimit=4", "contentTemplate.0.display_name=12"];
      return updateChannel(client, { channel: "changed", file: undefined }, { name: "renamed", set }, output);
    });
    expect(stdout).toMatch(/^channel c\d+ \(renamed\) is updated\n$/);
    expect(await show("renamed")).toMatchObject({
      ...before,
      name: "renamed",
      etag: expect.any(String),
      update_time: expect.any(String),
      authentication: { secret_is_set: true },
      content_template: [{ name: "title", display_name: "12" }],
      delivery: { rate_limit: 4, retries: 3 },
    });
  });

  it("replaces a channel by what channel show prints, and says what it keeps", async () => {
    await create("shown");
    const { stdout } = await run((client, output) => printChannel(client, "shown", output));
    const replace = (text: string) =>
      run((client, output) => updateChannel(client, { channel: "shown", file: "-" }, {}, output), {
        input: text,
      });
    const changed = stdout.replace("rate_limit: 2", "rate_limit: 5");
    const { stderr } = await replace(changed.replace(/^authentication:\n(?: .*\n)+/m, ""));
    expect(stderr).toMatch(/^warning: authentication was not given and is kept/);
    expect(await show("shown")).toMatchObject({ delivery: { rate_limit: 5 } });
    await expect(replace(stdout)).rejects.toThrow("channel.etag is");
  });
});

describe("channel delete", () => {
  const remove = (channel: string, yes?: true) =>
    run((client, output) => deleteChannel(client, channel, { ...(yes && { yes }) }, output));

  it("needs --yes where it cannot ask", async () => {
    await create("kept");
    await expect(remove("kept")).rejects.toThrow(
      /^add --yes to delete channel c\d+ \("kept"\): standard input/,
    );
    expect(await show("kept")).toMatchObject({ name: "kept" });
    expect((await remove("kept", true)).stdout).toMatch(/^channel c\d+ \(kept\) is deleted\n$/);
    await expect(remove("kept", true)).rejects.toThrow('channel "kept" is not known, valid are ');
  });

  it("names the nearest channel", async () => {
    await expect(remove("mial")).rejects.toThrow('channel "mial" is not known, the nearest is "mail"');
    await expect(remove("")).rejects.toThrow("the id or name of the channel is empty");
  });
});

describe("channel test", () => {
  it("shows the request, the response and both verdicts", async () => {
    const { seen, receiverUrl } = shared();
    const { stdout, result } = await run((client, output) =>
      testChannel(client, "mail", { to: "ann", set: ["title=Hello"] }, output),
    );
    expect(result).toBe(0);
    expect(stdout).toContain(`POST ${receiverUrl}\n`);
    expect(stdout).toMatch(/\n200 in \d+ ms\n.*return_code/);
    expect(stdout).toContain(
      "\nwith strict validation, which this channel uses: succeeded\nwithout it: succeeded\n",
    );
    expect(seen.at(-1)).toMatchObject({ messages: [{ pushId: "ann", params: { title: "Hello" } }] });
  });

  it("tests a channel that is not saved, with the content of a file", async () => {
    const { cwd } = shared();
    writeFileSync(join(cwd, "content.yaml"), "title: From a file\ncount: 3\n");
    const file = join(cwd, "unsaved.yaml");
    // Nothing listens on the reserved port 1.
    writeFileSync(
      file,
      'name: x\nproject_id: 1\nurl: http://127.0.0.1:1/\npush_id_property: "#account_id"\ncontent_template: [{name: title, input_method: text}, {name: count, input_method: number}]\n',
    );
    const { stdout, result } = await run(
      (client, output) =>
        testChannel(client, undefined, { to: "ann", file, content: join(cwd, "content.yaml") }, output),
      { json: true },
    );
    const response = JSON.parse(stdout) as { requestBody: string; status: number };
    expect([result, response.status]).toEqual([1, 0]);
    expect(response.requestBody).toContain('"title":"From a file"');
  });

  it("needs one channel", async () => {
    const none = run((client, output) => testChannel(client, undefined, { to: "ann" }, output));
    await expect(none).rejects.toThrow("give the id or name of a channel, or --file");
  });
});

it("channel show and channel test run as commands", async () => {
  const { url, cwd } = shared();
  const shown = await runEngage(["channel", "show", "mail", "--json", "--url", url], { cwd });
  expect([shown.code, JSON.parse(shown.stdout)]).toEqual([0, expect.objectContaining({ name: "mail" })]);
  const tested = await runEngage(["channel", "test", "mail", "--to", "ann", "--url", url], { cwd });
  expect([tested.code, tested.stderr]).toEqual([0, ""]);
});
