import { join } from "node:path";
import { startService } from "../../analysis/service.ts";
import { encodeContent, openParseClient } from "../../harness/grpc-client.ts";
import { jsonLines } from "../../harness/log-lines.ts";
import { freePort, makeFolder, type Server } from "../../harness/processes.ts";
import { each, type GrowthPath, repeatedly } from "../measure.ts";

/** Calls of one caller, and lines of each. */
const callsOfCaller = 20;
const linesOfCall = 10;
/** Lines of a call whose formats grow in number. */
const linesOfFormats = 1_000;
/** Bytes of a message that no call of Parse may have. */
const tooManyBytes = 104_857_600;

const mapping = {
  "#type": { value: "track" },
  "#account_id": "ACCOUNTID",
  "#time": "LOGTM",
  "#event_name": "event_{CODE}",
};

/** Starts a server with formats for the files `0-app.log`, `1-app.log` and so on. */
async function startParser(formats: number, settings: object = {}): Promise<Server> {
  return await startService(await freePort(), join(makeFolder(), "data"), {
    parser: {
      separator: ":ta:",
      formats: Array.from({ length: formats }, (_, at) => ({
        name: `format ${at}`,
        index: `${at}-*.log`,
        type: "json",
        mapping,
      })),
    },
    ...settings,
  });
}

/** Returns the message of a call with lines of this many formats in turn. */
function contentOf(lines: number, formats: number): Buffer {
  return encodeContent(
    jsonLines(lines)
      .map((line, at) => `${at % formats}-app.log|ta|${line}`)
      .join(":ta:"),
  );
}

/** Opens a connection for each caller, which calls one after another. */
async function callAll(port: number, callers: number, frame: Buffer): Promise<void> {
  await Promise.all(
    Array.from({ length: callers }, async () => {
      using client = await openParseClient(port);
      for (let call = 0; call < callsOfCaller; call++) await client.call(frame);
    }),
  );
}

async function refusalOf(port: number, frame: Buffer): Promise<string> {
  using client = await openParseClient(port);
  return await client.call(frame).then(
    () => Promise.reject(new Error("the call was not refused")),
    (error: Error) => error.message,
  );
}

const callers: GrowthPath = {
  name: "parse-callers",
  sizes: [1, 10, 100, 1_000],
  async open(sizes) {
    await using opened = new AsyncDisposableStack();
    const server = opened.use(await startParser(1));
    const frame = contentOf(linesOfCall, 1);
    const small = opened.use(await startParser(1, { limits: { maxCallsPerAddress: 1 } }));
    const refusals = await Promise.allSettled(
      Array.from({ length: 4 }, () => refusalOf(small.port, contentOf(20_000, 1))),
    );
    const refusal = refusals.find((one) => one.status === "fulfilled")?.value;
    if (refusal === undefined) throw new Error("no call was refused");
    const stack = opened.move();
    return {
      points: sizes.map((work) => ({
        work,
        measure: repeatedly(
          server,
          each(() => callAll(server.port, work, frame)),
        ),
      })),
      refusal,
      [Symbol.asyncDispose]: () => stack.disposeAsync(),
    };
  },
};

const lines: GrowthPath = {
  name: "parse-lines",
  sizes: [1, 10, 100, 1_000, 10_000, 100_000],
  async open(sizes) {
    await using opened = new AsyncDisposableStack();
    const server = opened.use(await startParser(1));
    const refusal = await refusalOf(server.port, encodeContent("x".repeat(tooManyBytes)));
    const client = opened.use(await openParseClient(server.port));
    const points = sizes.map((work) => {
      const frame = contentOf(work, 1);
      return {
        work,
        measure: repeatedly(
          server,
          each(async () => void (await client.call(frame))),
        ),
      };
    });
    const stack = opened.move();
    return { points, refusal, [Symbol.asyncDispose]: () => stack.disposeAsync() };
  },
};

const formats: GrowthPath = {
  name: "parse-formats",
  sizes: [1, 10, 100, 1_000],
  async open(sizes) {
    await using opened = new AsyncDisposableStack();
    const points = [];
    for (const work of sizes) {
      const server = opened.use(await startParser(work));
      const client = opened.use(await openParseClient(server.port));
      const frame = contentOf(linesOfFormats, work);
      const measure = repeatedly(
        server,
        each(async () => void (await client.call(frame))),
      );
      points.push({ work, measure });
    }
    const stack = opened.move();
    return { points, [Symbol.asyncDispose]: () => stack.disposeAsync() };
  },
};

export const parsePaths: readonly GrowthPath[] = [callers, lines, formats];
