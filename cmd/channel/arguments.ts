import { type Command, Option } from "commander";
import { type Common, command, optionsOf, positive, withServer } from "../arguments.ts";
import type { ServerOptions } from "../client/rpc-client.ts";
import type { ChannelOutput, DeleteOptions, ListOptions } from "./channel.ts";
import type { ChannelOptions } from "./read-channel.ts";
import type { TestOptions } from "./test-message.ts";

interface Options extends Common, ServerOptions {
  readonly json?: true;
}

const ofChannel = "id or name of the channel";
const withJson = "print one JSON object";

/** Adds `engage channel …`, commands that manage the push channels of a running server. */
export function addChannel(program: Command): void {
  const group = program.command("channel").description("manage the channels through which a server pushes");
  const add = (name: string, description: string, timeoutMs = 30_000): Command =>
    withServer(command(group, name, description), timeoutMs);

  add("list", "list channels by name")
    .option("--project <id>", "only channels of this project", positive)
    .option("--limit <number>", "number of rows to show at most", positive, 100)
    .option("--json", "print one JSON object per line")
    .action((options: Options & ListOptions) =>
      call(options, async ({ printChannels }, client, output) => printChannels(client, options, output)),
    );
  add("show", "show a channel as YAML, without its secrets")
    .argument("<channel>", ofChannel)
    .option("--json", withJson)
    .action((channel: string, options: Options) =>
      call(options, ({ printChannel }, client, output) => printChannel(client, channel, output)),
    );
  addFields(
    add("create", "create a channel").argument(
      "[file]",
      "the channel, in YAML or JSON; - for standard input",
    ),
  )
    .option("--json", withJson)
    .addHelpText("after", fileNotes)
    .action((file: string | undefined, options: Options & ChannelOptions) =>
      call(options, ({ createChannel }, client, output) => createChannel(client, file, options, output)),
    );
  addFields(
    add("update", "replace a channel, or change some of its fields")
      .argument("<channel>", ofChannel)
      .argument(
        "[file]",
        "the whole channel, in YAML or JSON; - for standard input (default: change only the given fields)",
      ),
  )
    .option("--json", withJson)
    .addHelpText("after", updateNotes)
    .action((channel: string, file: string | undefined, options: Options & ChannelOptions) =>
      call(options, ({ updateChannel }, client, output) =>
        updateChannel(client, { channel, file }, options, output),
      ),
    );
  add("delete", "delete a channel that no unfinished task uses")
    .argument("<channel>", ofChannel)
    .option("--yes", "do not ask")
    .option("--json", withJson)
    .action((channel: string, options: Options & DeleteOptions) =>
      call(options, ({ deleteChannel }, client, output) => deleteChannel(client, channel, options, output)),
    );
  addTest(add);
}

function addFields(one: Command): Command {
  return one
    .option("--name <text>", "name of the channel (default: the file's)")
    .option("--project <id>", "project whose users it reaches (default: the file's)", positive)
    .option("--receiver <url>", "URL to which messages are posted (default: the file's)")
    .option("--push-id-property <name>", "user property with the push id (default: the file's)")
    .addOption(new Option("--secret <text>", "secret that signs requests").conflicts("secretFile"))
    .option("--secret-file <file>", "file whose first line is the secret")
    .option("--set <field=value...>", 'other fields, such as "delivery.batch_size=50"');
}

const fileNotes = `
The file is an engage.channel.v1.Channel. Input methods may be written as words:
  name: mail
  project_id: 1
  url: https://example.com/hook
  push_id_property: "#account_id"
  authentication: {secret: …}
  content_template: [{name: title, input_method: text, required: true}]
  delivery: {batch_size: 50, retries: 2}`;

const updateNotes = `${fileNotes}
Secrets that are left out are kept. A file with an etag, as "channel show" prints it, is refused
when the channel was changed in the meantime. To stop signing, set authentication.off=true.`;

function addTest(add: (name: string, description: string, timeoutMs?: number) => Command): void {
  add("test", "send one real message through a channel and show the verdict on the response", 120_000)
    .argument("[channel]", `${ofChannel} (default: that of --file)`)
    .requiredOption("--to <push-id>", "recipient of the message (required)")
    .option(
      "--file <file>",
      "test this channel, in YAML or JSON, which need not be saved; - for standard input",
    )
    .option("--content <file>", "values of the content by field, in YAML or JSON (default: samples)")
    .option("--set <field=text...>", "texts of the content, which override those of the file")
    .option("--json", withJson)
    .addHelpText("after", "\nThe exit code is 0 when the message counts as sent, and 1 otherwise.")
    .action((channel: string | undefined, options: Options & TestOptions) =>
      call(options, async (_commands, client, output) => {
        const { testChannel } = await import("./test-message.ts");
        process.exitCode = await testChannel(client, channel, options, output);
      }),
    );
}

type Commands = typeof import("./channel.ts");
type Client = Parameters<Commands["printChannel"]>[0];

async function call(
  options: Options,
  run: (commands: Commands, client: Client, output: ChannelOutput) => Promise<void>,
): Promise<void> {
  const [{ withClient }, { ChannelSender }, commands] = await Promise.all([
    import("../client/rpc-client.ts"),
    import("../../gen/engage/channel/v1/channel_sender_pb.ts"),
    import("./channel.ts"),
  ]);
  const { stdin, stdout, stderr } = process;
  const output: ChannelOutput = { stdin, stdout, stderr, json: options.json };
  await withClient(ChannelSender, await optionsOf(options), options, (client) =>
    run(commands, client, output),
  );
}
