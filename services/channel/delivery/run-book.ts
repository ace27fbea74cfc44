import type { Clock } from "../../../base/async/clock.ts";
import type { ChannelStore, StoredRun } from "../../../store/channels/channels.ts";
import { decodeRunChannel } from "../tasks/codec.ts";
import { compileSendPlan, type SendPlan } from "./call/send-plan.ts";

interface Entry {
  readonly plan: SendPlan;
  isUnderWay: boolean;
  /** Monotonic. */
  lookedMs: number;
}

/** Plans of runs that are kept; one is made of a few kilobytes in a tenth of a millisecond. */
const maxRuns = 200;
/** A run that is cancelled may still be sent of for so long. */
const freshMs = 250;

/** How the batches of runs are sent, and whether they still are to be. */
export class RunBook {
  readonly #store: Pick<ChannelStore, "run">;
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry>();
  readonly #looking = new Map<string, Promise<Entry>>();

  constructor(store: Pick<ChannelStore, "run">, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** A run goes on by the channel as it was when it began. */
  async plan(runId: string): Promise<SendPlan> {
    return (this.#entries.get(runId) ?? (await this.#look(runId))).plan;
  }

  /** False: it was cancelled, or has failed. */
  async isUnderWay(runId: string): Promise<boolean> {
    const known = this.#entries.get(runId);
    const isFresh = known !== undefined && this.#clock.monotonicMs() - known.lookedMs < freshMs;
    return (isFresh ? known : await this.#look(runId)).isUnderWay;
  }

  #look(runId: string): Promise<Entry> {
    const looking = this.#looking.get(runId) ?? this.#read(runId);
    this.#looking.set(runId, looking);
    return looking;
  }

  async #read(runId: string): Promise<Entry> {
    try {
      const lookedMs = this.#clock.monotonicMs();
      const run = await this.#store.run(runId);
      if (run === null) throw new Error(`run ${runId} is gone`);
      const entry = this.#entries.get(runId) ?? this.#add(run);
      entry.isUnderWay = run.state === "preparing" || run.state === "sending";
      entry.lookedMs = lookedMs;
      return entry;
    } finally {
      this.#looking.delete(runId);
    }
  }

  #add(run: StoredRun): Entry {
    if (this.#entries.size >= maxRuns) this.#entries.delete(this.#entries.keys().next().value!);
    const entry = { plan: compileSendPlan(decodeRunChannel(run)), isUnderWay: true, lookedMs: 0 };
    this.#entries.set(run.runId, entry);
    return entry;
  }
}
