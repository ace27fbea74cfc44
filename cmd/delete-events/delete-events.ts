import type { MessageInitShape } from "@bufbuild/protobuf";
import { toJson } from "@bufbuild/protobuf";
import { exactCountOf } from "../../base/text/count.ts";
import { quoteList, quoteText } from "../../base/text/quote.ts";
import {
  type CountEventsResponse,
  CountEventsResponseSchema,
  type EventCount,
  type EventSelectionSchema,
  StoredEvents,
  type UserId,
  type UserIdSchema,
} from "../../gen/engage/operations/v1/stored_events_pb.ts";
import { chooseServer } from "../client/choose-server.ts";
import { type ServerOptions, withClient } from "../client/rpc-client.ts";
import type { ConfigOptions } from "../config/config.ts";
import { type ConfirmStreams, confirm } from "../terminal/confirm.ts";
import type { MessageOutput } from "../terminal/messages.ts";
import { type Column, formatTable } from "../terminal/table.ts";
import { writeForeign } from "../terminal/terminal.ts";
import { UsageError } from "../terminal/user-error.ts";

export interface DeleteEventsOptions extends ServerOptions {
  readonly project: number;
  readonly event?: readonly string[];
  readonly from?: string;
  readonly to?: string;
  readonly account?: readonly string[];
  /** Distinct ids. */
  readonly visitor?: readonly string[];
  /** User ids. */
  readonly user?: readonly string[];
  readonly all?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: true;
  readonly json?: true;
}

type Selection = MessageInitShape<typeof EventSelectionSchema>;

/** Counts events by name, asks, and deletes them. @throws UserError */
export async function deleteEvents(
  config: ConfigOptions,
  options: DeleteEventsOptions,
  output: MessageOutput & ConfirmStreams,
): Promise<void> {
  const selection = selectionOf(options);
  const { baseUrl } = chooseServer(config, options);
  await withClient(StoredEvents, config, options, async (client) => {
    const counted = await client.countEvents({ selection });
    if (!output.json) printCounts(counted, output);
    const finish = (deleted: bigint): void => {
      if (output.json) printJson(counted, deleted, output);
      else if (deleted > 0n) output.stdout.write(`${exactCountOf(deleted, "event")} deleted\n`);
    };
    if (counted.count === 0n || options.dryRun) return finish(0n);
    const what = `delete ${exactCountOf(counted.count, "event")} of project ${options.project} on ${baseUrl} for ever`;
    if (!(await confirm(what, options.yes, output))) {
      output.stderr.write("nothing is deleted\n");
      return;
    }
    const request = { selection, maxEvents: counted.count, all: options.all === true };
    finish((await client.deleteEvents(request)).deleted);
  });
}

function selectionOf(options: DeleteEventsOptions): Selection {
  const { project, event = [], from = "", to = "", account = [], visitor = [], user = [] } = options;
  const users: MessageInitShape<typeof UserIdSchema>[] = [
    ...account.map((value) => ({ id: { case: "accountId" as const, value } })),
    ...visitor.map((value) => ({ id: { case: "distinctId" as const, value } })),
    ...user.map((text) => ({ id: { case: "userId" as const, value: userIdOf(text) } })),
  ];
  const isSelected = event.length + users.length > 0 || from !== "" || to !== "";
  if (isSelected && options.all) throw new UsageError("--all is for a project without a selection");
  if (!isSelected && !options.all)
    throw new UsageError(
      "select events by --event, --from, --to, --account, --visitor or --user, or give --all",
    );
  return { projectId: BigInt(project), events: [...event], fromDay: from, toDay: to, users };
}

function userIdOf(text: string): bigint {
  if (/^\d{1,18}$/.test(text)) return BigInt(text);
  throw new UsageError(`--user is ${quoteText(text)}, must be a user id, a whole number`);
}

const columns: readonly Column<EventCount>[] = [
  { head: "EVENT", of: ({ event }) => event },
  { head: "COUNT", of: ({ count }) => count },
];

function printCounts({ events, unknownUsers }: CountEventsResponse, { stdout, stderr }: MessageOutput): void {
  stdout.write(events.length === 0 ? "no events match\n" : formatTable(columns, events));
  if (unknownUsers.length === 0) return;
  writeForeign(stderr, `warning: not known are the users ${quoteList(unknownUsers.map(idOf))}\n`);
}

function idOf({ id }: UserId): string {
  return String(id.value ?? "");
}

function printJson(counted: CountEventsResponse, deleted: bigint, { stdout }: MessageOutput): void {
  const counts = toJson(CountEventsResponseSchema, counted, { alwaysEmitImplicit: true }) as object;
  writeForeign(stdout, `${JSON.stringify({ ...counts, deleted: String(deleted) })}\n`);
}
