import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { dayText, importFiles, writeLines } from "../growth/project.ts";
import { median } from "../harness/compare.ts";

const run = promisify(execFile);
/** As the server starts. */
const flag = "--v8-pool-size=1";

type Figures = Readonly<Record<"all" | "main" | "store" | "engine" | "v8", number>>;

/**
 * Measures the CPU time of preparing a push to all users of a project in the event store, in turns with users that a
 * loop makes. Their difference is what reading the users takes.
 */
export async function measureMembers(users: number, rounds: number): Promise<void> {
  const folder = await importUsers(users);
  const script = join(import.meta.dirname, "preparer.ts");
  const { stdout } = await run(process.execPath, [flag, script, folder, String(users), String(rounds)]);
  const measured: Readonly<Record<"loop" | "project", readonly Figures[]>> = JSON.parse(stdout);
  const rowOf = (audience: string, figures: readonly Figures[]) => {
    const of = (name: keyof Figures) => median(figures.map((one) => one[name])).toFixed(2);
    return {
      audience,
      all: of("all"),
      "main thread": of("main"),
      "channel store": of("store"),
      engine: of("engine"),
      "V8's thread": of("v8"),
    };
  };
  console.table([rowOf("made in a loop", measured.loop), rowOf("all users of a project", measured.project)]);
  const reading = measured.project.map(({ all }, round) => all - measured.loop[round]!.all);
  console.log(`CPU time in µs a recipient of ${users}, medians of ${rounds} rounds in turns`);
  console.log(`reading the users: ${median(reading).toFixed(2)} µs\n`);
}

/** Imports users with a name and a level, and returns their data folder. */
async function importUsers(users: number): Promise<string> {
  const lines = writeLines(users, (at) =>
    JSON.stringify({
      "#type": "user_set",
      "#account_id": `player-${at}`,
      "#time": `${dayText(0)} 08:00:00`,
      properties: { name: `Name ${at}`, level: at % 60 },
    }),
  );
  return (await importFiles([lines])).data;
}
