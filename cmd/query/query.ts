import { createWriteStream } from "node:fs";
import type { IncomingMessage } from "node:http";
import { text as readText } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import type { ReadStream, WriteStream } from "node:tty";
import { describeHtmlPage } from "../../base/text/html-page.ts";
import { chooseServer, type ServerChoice } from "../client/choose-server.ts";
import { connectionError, post, type ServerPlace } from "../client/server-call.ts";
import type { ConfigOptions } from "../config/config.ts";
import { cannotWrite } from "../terminal/file-fault.ts";
import { printable } from "../terminal/table.ts";
import { guardsOf, writeForeign } from "../terminal/terminal.ts";
import { UsageError, UserError } from "../terminal/user-error.ts";
import { type ChartSize, formatChart } from "./chart.ts";
import { readQuery } from "./file.ts";
import { countDownload } from "./progress.ts";
import type { QueryData } from "./series.ts";
import { formatResult, formatUsers, type UserListData } from "./table.ts";

export interface QueryOptions extends Pick<ServerChoice, "url" | "profile" | "token"> {
  readonly verbose?: boolean;
  /** The id of the project. Default: the query's own. */
  readonly project?: number;
  readonly plot?: boolean;
  /** Lists the users counted by one number instead of the numbers. */
  readonly users?: boolean;
  readonly csv?: boolean;
  /** The file for the CSV. Default: standard output. */
  readonly out?: string;
  readonly json?: boolean;
}

interface Terminal {
  readonly stdin: ReadStream | NodeJS.ReadableStream;
  readonly stdout: WriteStream;
  readonly stderr: WriteStream;
}

/** Sends a query to a running server and shows the response. @throws UserError */
export async function runQuery(
  options: ConfigOptions,
  file: string,
  query: QueryOptions,
  terminal: Terminal,
): Promise<void> {
  if (query.out !== undefined && !query.csv) throw new UsageError("--out takes CSV, give --csv too");
  const body = await readQuery(file, query, terminal.stdin);
  const place = chooseServer(options, query);
  const { token } = place;
  if (query.verbose) terminal.stderr.write(`server ${place.baseUrl} of ${place.namedBy}\n`);
  const path = `/open/${query.csv ? "streaming-download/" : ""}${query.users ? "event-user-list" : "event-analyze"}`;
  const response = await post(place, { path, token, body });
  if (query.csv && response.headers["content-type"]?.startsWith("text/csv")) {
    await saveCsv(place, response, query.out, terminal);
    return;
  }
  const text = await readText(response).catch((error: unknown) => {
    throw connectionError(place.baseUrl, error);
  });
  const data = dataOf(place.baseUrl, text, response.statusCode);
  if (query.json) writeForeign(terminal.stdout, `${text}\n`);
  else show(data, query, terminal);
}

/** Returns the data of a response. @throws UserError with the server's reason for refusing the query */
function dataOf(baseUrl: string, text: string, status: number | undefined): unknown {
  const response = parse(text);
  if (response?.return_code === 0) return response.data;
  const hint =
    response?.return_code === -1008 ? "; give --token, ENGAGE_TOKEN or a profile with a token" : "";
  const said =
    response === undefined
      ? `HTTP ${status}, ${describeHtmlPage(text) ?? "which is no response of the analysis API"}`
      : `${response.return_code} ${printable(response.return_message ?? "")}`;
  throw new UserError(`${baseUrl}: ${said}${hint}`);
}

interface Envelope {
  readonly return_code: number;
  readonly return_message?: string;
  readonly data?: unknown;
}

function parse(text: string): Envelope | undefined {
  try {
    const value = JSON.parse(text) as Envelope | null;
    return typeof value?.return_code === "number" ? value : undefined;
  } catch {
    return undefined;
  }
}

function show(data: unknown, { users, plot }: QueryOptions, { stdout, stderr }: Terminal): void {
  if (users) stdout.write(formatUsers(data as UserListData));
  else if (plot) stdout.write(formatChart(data as QueryData, sizeOf(stdout)));
  else stdout.write(formatResult(data as QueryData));
  for (const warning of (data as Partial<QueryData>)?.warnings ?? [])
    stderr.write(`warning: ${printable(warning)}\n`);
}

function sizeOf(stdout: WriteStream): ChartSize {
  const isTerminal = stdout.isTTY === true;
  return { columns: stdout.columns ?? 80, rows: 14, hasColors: isTerminal && stdout.hasColors() };
}

async function saveCsv(
  { baseUrl }: ServerPlace,
  response: IncomingMessage,
  out: string | undefined,
  { stdout, stderr }: Terminal,
): Promise<void> {
  const target = out === undefined ? stdout : createWriteStream(out);
  const count = countDownload(out === undefined ? stdout : undefined, stderr);
  try {
    const guards = out === undefined ? guardsOf(stdout) : [];
    await pipeline([response, count.stream, ...guards, target], { end: out !== undefined });
  } catch (error) {
    throw out !== undefined && isOfFile(error) ? cannotWrite(out, error) : connectionError(baseUrl, error);
  } finally {
    count.stop();
  }
}

/** Whether an error comes from the output file, which is opened and written. The response is only read. */
function isOfFile(error: unknown): boolean {
  const { syscall } = error as NodeJS.ErrnoException;
  return syscall === "open" || syscall === "write";
}
