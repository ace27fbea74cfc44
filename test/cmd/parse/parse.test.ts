import { once } from "node:events";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { describe, expect, it, test } from "vitest";
import { type ParseCommandOptions, runParse } from "../../../cmd/parse/parse.ts";
import { UserError } from "../../../cmd/terminal/user-error.ts";
import { folderWith } from "../config/load.ts";
import { runEngage, startEngage } from "../run-engage.ts";

const dpkgLine = "2024-01-10 08:15:02 install less:amd64 <none> 590-2";
const dpkgRecord = {
  "#type": "track",
  "#distinct_id": "dpkg",
  "#time": "2024-01-10 08:15:02.000",
  "#event_name": "dpkg_install",
  properties: { detail: "less:amd64 <none> 590-2", "#zone_offset": 0 },
};
const record = '{"#type":"track","#account_id":"a"}';

/** Parses the records, of which each must have a line of its own. */
const recordsOf = (out: string): unknown[] => out.split(/(?<=\n)/).map((line) => JSON.parse(line));

/** Runs the command in this process, with streams that are no terminals. */
async function parse(
  files: readonly string[],
  options: ParseCommandOptions = {},
  { cwd = folderWith({}), input = "" } = {},
) {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const paths = files.map((file) => (file === "-" ? file : join(cwd, file)));
  const streams = { stdin: Readable.from([Buffer.from(input)]), stdout, stderr };
  const output = Promise.all([text(stdout), text(stderr)]);
  const code = await runParse({ env: {}, cwd }, paths, options, streams);
  stdout.end();
  stderr.end();
  const [out, err] = await output;
  return { code, out, err: err.replaceAll(`${cwd}/`, "") };
}

test("a file's name chooses its format; records go to stdout and counts to stderr", async () => {
  const cwd = folderWith({ "dpkg.log": `${dpkgLine}\nnot a line of dpkg\r\n${dpkgLine}` });
  const { code, out, err } = await parse(["dpkg.log"], {}, { cwd });
  expect(code).toBe(0);
  expect(recordsOf(out)).toEqual([dpkgRecord, dpkgRecord]);
  expect(err).toMatch(
    /^3 lines, 2 records, 1 line without a record\n {2}no_match: 1, first at dpkg\.log:2: "not a line of dpkg" .+\n$/,
  );
});

test("with strict a line without a record fails the command", async () => {
  const cwd = folderWith({ "good.log": record, "dpkg.log": "no" });
  expect((await parse(["good.log"], { strict: true }, { cwd })).code).toBe(0);
  expect((await parse(["dpkg.log"], { strict: true }, { cwd })).code).toBe(1);
});

test("--index and --format choose instead of the name", async () => {
  const cwd = folderWith({ "x.txt": dpkgLine });
  const byIndex = await parse(["x.txt"], { index: "dpkg.log.1" }, { cwd });
  const byFormat = await parse(["x.txt"], { format: "dpkg" }, { cwd });
  expect([byIndex.out, byFormat.out].map(recordsOf)).toEqual([[dpkgRecord], [dpkgRecord]]);
});

test("a gzipped file is inflated and goes by its name without .gz", async () => {
  const cwd = folderWith({});
  writeFileSync(join(cwd, "dpkg.log.gz"), gzipSync(`${dpkgLine}\n`));
  expect(recordsOf((await parse(["dpkg.log.gz"], {}, { cwd })).out)).toEqual([dpkgRecord]);
});

test("standard input needs an index or a format", async () => {
  const { out } = await parse(["-"], { index: "dpkg.log" }, { input: `${dpkgLine}\n` });
  expect(recordsOf(out)).toEqual([dpkgRecord]);
  await expect(parse(["-"])).rejects.toThrow(UserError);
});

test("a file that cannot be read is reported, the others are parsed, and the command fails", async () => {
  const cwd = folderWith({ "a.log": record, "broken.log.gz": "", "z.log": record });
  writeFileSync(join(cwd, "broken.log.gz"), gzipSync(`${record}\n`).subarray(0, 20));
  const { code, out, err } = await parse(["a.log", "no.log", "broken.log.gz", "z.log"], {}, { cwd });
  expect({ code, out }).toEqual({ code: 1, out: `${record}\n${record}\n` });
  expect(err).toMatch(
    /^engage: cannot read "no\.log": no such file or folder\nengage: cannot read "broken\.log\.gz": unexpected end of file\n/,
  );
});

test("an unknown format is refused with the names there are", async () => {
  await expect(parse(["-"], { format: "dpgk" })).rejects.toThrow(
    'format "dpgk" is not known, the nearest is "dpkg", valid are "game", "heartbeat", "rewards", "access", "dpkg", "syslog", "records"',
  );
});

test("a bar is drawn on a terminal, and only there", async () => {
  const cwd = folderWith({ "a.log": `${record}\n`.repeat(3) });
  const terminal = Object.assign(new PassThrough(), {
    isTTY: true,
    columns: 80,
    cursorTo() {},
    clearLine() {},
  });
  const drawn = text(terminal);
  const stdout = new PassThrough().resume();
  const streams = { stdin: Readable.from([]), stdout, stderr: terminal };
  expect(await runParse({ env: {}, cwd }, [join(cwd, "a.log")], {}, streams)).toBe(0);
  terminal.end();
  expect(await drawn).toMatch(/100% of 0\.0 MiB[\s\S]*3 lines, 3 records/);
  const plain = await parse(["a.log"], {}, { cwd });
  expect(plain.err).toBe("3 lines, 3 records, 0 lines without a record\n");
});

test("the program reads standard input and writes standard output", async () => {
  const args = ["parse", "-", "--index", "dpkg.log", "--strict"];
  const good = await runEngage(args, { input: `${dpkgLine}\n` });
  expect(good.code).toBe(0);
  expect(recordsOf(good.stdout)).toEqual([dpkgRecord]);
  expect(await runEngage(args, { input: "no\n" })).toMatchObject({ code: 1, stdout: "" });
  const { code, stderr } = await runEngage(["parse", "-"], { input: "" });
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: "engage: standard input has no name to choose a format by: give --index or --format\n",
  });
});

test("a reader that has enough ends the program without a word about it", async () => {
  const cwd = folderWith({ "big.log": `${record}\n`.repeat(200_000) });
  const child = startEngage(["parse", "big.log"], { cwd });
  const complaints = text(child.stderr!);
  await once(child.stdout!, "data");
  child.stdout!.destroy();
  const [code] = await once(child, "close");
  expect({ code, complaints: await complaints }).toEqual({ code: 141, complaints: "" });
});

test("no more is read than is taken away", async () => {
  const cwd = folderWith({ "big.log": `${record}\n`.repeat(200_000) });
  const child = startEngage(["parse", "big.log"], { cwd });
  child.stdout!.pause();
  await once(child.stdout!, "readable");
  // The process waits for its reader, so that its output can be read to the end.
  expect(child.exitCode).toBeNull();
  expect((await text(child.stdout!)).length).toBe((record.length + 1) * 200_000);
});

describe("lines without a record", () => {
  it("are kept with their place and the reason, bytes that are not UTF-8 too", async () => {
    const cwd = folderWith({ "dpkg.log": `${dpkgLine}\nno\n${dpkgLine}\nnor this\n` });
    appendFileSync(join(cwd, "dpkg.log"), Buffer.from([0xff, 0x0a]));
    const { err } = await parse(["dpkg.log"], { rejects: join(cwd, "rejects"), examples: 2 }, { cwd });
    expect(err).toMatch(
      /no_match: 2, first at dpkg\.log:2: "no" does not match\n {4}then at dpkg\.log:4: "nor this"/,
    );
    const file = join(cwd, "dpkg.log");
    const kept = readFileSync(join(cwd, "rejects"), "utf8").trim().split("\n");
    expect(kept.map((line) => JSON.parse(line))).toEqual([
      { file, line: 2, reason: "no_match", message: '"no" does not match', data: "no" },
      {
        file,
        line: 4,
        reason: "no_match",
        message: '"nor this" does not match',
        data: "nor this",
      },
      { file, line: 5, reason: "invalid_utf8", message: expect.any(String), data_base64: "/w==" },
    ]);
  });

  it("are not written over what is read", async () => {
    const cwd = folderWith({ "dpkg.log": "no\n" });
    const file = join(cwd, "dpkg.log");
    await expect(parse(["dpkg.log"], { rejects: file }, { cwd })).rejects.toThrow(
      "is one of the files that are read",
    );
  });
});
