import type { Clock } from "../../../base/async/clock.ts";
import { LruCache } from "../../../base/cache/lru-cache.ts";
import { decodeTrace } from "../../../base/trace/context.ts";
import type { Trace } from "../../../base/trace/trace.ts";
import type { ChannelStore, StoredRun } from "../../../store/channels/channels.ts";
import { decodeRunChannel } from "../tasks/codec.ts";
import { compileSendPlan, type SendPlan } from "./call/send-plan.ts";

/** How to send the requests of a run. */
export interface RunPlan extends SendPlan {
  /** The trace in which the run began. */
  readonly trace: Trace | undefined;
}

interface Entry {
  readonly plan: RunPlan;
  isUnderWay: boolean;
  /** Monotonic time of the last read. */
  readMs: number;
}

/** Cached plans. Compiling one takes a tenth of a millisecond. */
const maxRuns = 200;
/** How long a state is valid after it was read: batches of a cancelled run may be sent for this long. */
const freshMs = 250;

/** Caches the send plans and the states of runs. */
export class RunPlans {
  readonly #store: Pick<ChannelStore, "run">;
  readonly #clock: Clock;
  readonly #entries = new LruCache<string, Entry>(maxRuns);
  readonly #reading = new Map<string, Promise<Entry>>();

  constructor(store: Pick<ChannelStore, "run">, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /**
   * Returns the plan of a run, which uses the channel as it was when the run began; undefined if the run has ended or
   * its state must be read.
   */
  current(runId: string): RunPlan | undefined {
    const known = this.#fresh(runId);
    return known?.isUnderWay === true ? known.plan : undefined;
  }

  /** Reads the state of a run if it must be read. Returns false if the run was cancelled or has failed. */
  async isUnderWay(runId: string): Promise<boolean> {
    return (this.#fresh(runId) ?? (await this.#refresh(runId))).isUnderWay;
  }

  #fresh(runId: string): Entry | undefined {
    const known = this.#entries.get(runId);
    return known !== undefined && this.#clock.monotonicMs() - known.readMs < freshMs ? known : undefined;
  }

  #refresh(runId: string): Promise<Entry> {
    const reading = this.#reading.get(runId) ?? this.#read(runId);
    this.#reading.set(runId, reading);
    return reading;
  }

  async #read(runId: string): Promise<Entry> {
    try {
      const run = await this.#store.run(runId);
      if (run === null) throw new Error(`run ${runId} does not exist`);
      const entry = this.#entries.get(runId) ?? this.#add(run);
      entry.isUnderWay = run.state === "preparing" || run.state === "sending";
      entry.readMs = this.#clock.monotonicMs();
      return entry;
    } finally {
      this.#reading.delete(runId);
    }
  }

  #add(run: StoredRun): Entry {
    const plan = { ...compileSendPlan(decodeRunChannel(run)), trace: decodeTrace(run.trace) };
    const entry = { plan, isUnderWay: true, readMs: 0 };
    this.#entries.set(run.runId, entry);
    return entry;
  }
}
