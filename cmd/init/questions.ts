import { createInterface } from "node:readline/promises";
import type { Readable } from "node:stream";
import { shortName, shortNameRule } from "../../base/text/short-name.ts";
import { knownZones } from "../../base/time/known-zones.ts";
import { compileZone } from "../../base/time/zone.ts";
import { parseListen } from "../config/listen.ts";
import { type Output, writeForeign } from "../terminal/terminal.ts";
import { UsageError } from "../terminal/user-error.ts";
import type { Answers } from "./template.ts";

interface Question {
  readonly text: string;
  readonly proposed: (given: Partial<Answers>) => string;
  /** Returns what is wrong with an answer. */
  readonly check: (answer: string) => string | undefined;
}

const ofName = (answer: string): string | undefined => (shortName.test(answer) ? undefined : shortNameRule);

const questions: Readonly<Record<keyof Answers, Question>> = {
  listen: {
    text: "Address and port of the server",
    proposed: () => "127.0.0.1:8080",
    check: (answer) =>
      parseListen(answer) === undefined ? 'must be host:port, for example "127.0.0.1:8080"' : undefined,
  },
  data: {
    text: "Folder for everything that it stores",
    proposed: () => "./data",
    check: (answer) => (answer === "" ? "must be a folder" : undefined),
  },
  project: { text: "Name of the first project", proposed: () => "main", check: ofName },
  appid: {
    text: "App id by which SDKs send events to it",
    proposed: ({ project }) => `${project}-app`,
    check: ofName,
  },
  zone: {
    text: "Zone of its days, such as Europe/Berlin or +08:00",
    proposed: () => Intl.DateTimeFormat().resolvedOptions().timeZone,
    check: (answer) =>
      compileZone(answer) === undefined ? `must be a time zone, ${knownZones(answer)}` : undefined,
  },
  webhook: {
    text: "Name of a channel for webhooks of the platform, - for none",
    proposed: () => "-",
    check: (answer) => (answer === "-" ? undefined : ofName(answer)),
  },
};

export interface QuestionStreams {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stderr: Output;
}

/**
 * Asks for what is not given, and again after a wrong answer.
 * @param asks false to take what is proposed
 * @throws UsageError for a wrong given value
 */
export async function askAll(
  given: Partial<Answers>,
  asks: boolean,
  { stdin, stderr }: QuestionStreams,
): Promise<Answers> {
  const answers: { -readonly [K in keyof Answers]?: Answers[K] } = {};
  const lines = asks ? createInterface({ input: stdin })[Symbol.asyncIterator]() : undefined;
  for (const [name, { text, proposed, check }] of Object.entries(questions) as [keyof Answers, Question][]) {
    const value = given[name];
    const fault = value === undefined ? undefined : check(value);
    if (fault !== undefined) throw new UsageError(`--${name} is ${JSON.stringify(value)}, ${fault}`);
    const standard = proposed(answers);
    let answer = value ?? (lines === undefined ? standard : undefined);
    while (answer === undefined) {
      writeForeign(stderr, `${text} [${standard}]: `);
      const { value: line, done } = await lines!.next();
      if (done) throw new UsageError("standard input ended before all questions were answered");
      const wanted = line.trim() || standard;
      const wrong = check(wanted);
      if (wrong === undefined) answer = wanted;
      else writeForeign(stderr, `  ${wrong}\n`);
    }
    answers[name] = answer === "-" ? "" : answer;
  }
  return answers as Answers;
}
