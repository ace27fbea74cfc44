import { once } from "node:events";
import { type Transferable, Worker } from "node:worker_threads";
import { errorMessage } from "../../../base/text/system-error.ts";
import { lockFile } from "./file.ts";
import type { FromWorker, ToWorker, WorkerReply, WorkerSetup } from "./messages.ts";

/** The module of a store's thread, which calls `serveStore`. */
export interface ThreadModule {
  readonly url: URL;
  readonly name: string;
}

/** After how long without work a thread ends: once to twice this time. */
export interface QuietTimes {
  /** The first thread, which the start needs: nothing shows yet that calls will follow. */
  readonly firstMs: number;
  readonly laterMs: number;
}

export interface ThreadOptions {
  readonly module: ThreadModule;
  readonly setup: Omit<WorkerSetup, "isLocked">;
  /** The name of the store in messages. */
  readonly noun: string;
  /** Undefined: the thread stays until it is closed. */
  readonly quiet: QuietTimes | undefined;
  /** Reports whether something needs the thread, such as a reply that is awaited. */
  readonly isNeeded: () => boolean;
  readonly receive: (message: WorkerReply) => void;
  /** Called when the thread has ended or could not open the file, so that nothing that was posted gets a reply. */
  readonly lost: (reason: string) => void;
}

/** A message to the thread. */
export interface Posted {
  readonly message: ToWorker;
  readonly transfer: Transferable[];
  /** Called instead when no thread can be started, or the message cannot be cloned. */
  readonly failed: (error: unknown) => void;
}

/**
 * The thread that owns a store's file. A message starts it, and it ends when it had nothing to do for a while. Between
 * two threads the file is closed, and this thread has SQLite's lock of it, so that no other process opens it. Messages
 * that arrive while the file is passed on wait for the thread that gets it.
 */
export class ThreadOnDemand {
  readonly #options: ThreadOptions;
  #worker: Worker | undefined;
  /** Keeps other processes from opening the file while no thread has it. */
  #lock: Disposable | undefined;
  /** Messages that wait until the thread has the file, or has closed it; undefined while nothing has to wait. */
  #waiting: Posted[] | undefined;
  /** Resolves when the thread has closed the file or gone on; undefined while it is not asked to. */
  #ending: PromiseWithResolvers<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #postedCount = 0;
  #gaps = 0;
  #hasEnded = false;

  constructor(options: ThreadOptions) {
    this.#options = options;
  }

  /** How often no thread had the file or its lock, so that another process may have changed it. */
  get gaps(): number {
    return this.#gaps;
  }

  /** Starts the thread. Returns why it could not open its file; undefined when it could. */
  async open(): Promise<string | undefined> {
    const worker = this.#start();
    const failure = await openFailure(worker, this.#options.noun);
    if (failure !== undefined) await worker.terminate();
    return failure;
  }

  post(posted: Posted): void {
    this.#postedCount++;
    try {
      const worker = this.#worker ?? this.#start();
      if (this.#waiting === undefined) worker.postMessage(posted.message, posted.transfer);
      else this.#waiting.push(posted);
    } catch (error) {
      posted.failed(error);
    }
  }

  /** Resolves when the thread has done what was posted and has closed the file. Nothing may be posted any more. */
  async close(): Promise<void> {
    while (this.#ending !== undefined) await this.#ending.promise;
    const worker = this.#worker;
    if (worker !== undefined) {
      clearInterval(this.#timer);
      const exited = once(worker, "exit");
      this.post({ message: { kind: "close" }, transfer: [], failed: () => {} });
      await exited;
    }
    this.#unlock();
  }

  #start(): Worker {
    const { module, setup, noun } = this.#options;
    const isLocked = this.#lock !== undefined;
    // A file that other processes could not open in between is not read again.
    const checkAtOpen = setup.checkAtOpen && !isLocked;
    const workerData: WorkerSetup = { ...setup, checkAtOpen, isLocked };
    const worker = new Worker(module.url, { workerData, name: module.name });
    worker.on("message", (message: FromWorker) => this.#receive(message, worker));
    worker.on("error", (error) => this.#lose(worker, `${noun} thread failed: ${error.message}`));
    worker.on("exit", () => this.#lose(worker, `${noun} thread ended`));
    this.#worker = worker;
    if (isLocked) this.#waiting = [];
    return worker;
  }

  #receive(message: FromWorker, worker: Worker): void {
    if (message.kind === "opened" || message.kind === "replies") this.#options.receive(message);
    if (worker !== this.#worker) return;
    // A file may take long to open, and the calls that need it follow.
    if (message.kind === "opened") this.#endWhenQuiet();
    else if (message.kind === "loaded") {
      this.#unlock();
      worker.postMessage({ kind: "open" } satisfies ToWorker);
      this.#postWaiting();
    } else if (message.kind === "failed") {
      this.#lose(worker, message.error.message);
      void worker.terminate();
    } else if (message.kind === "closed" && this.#ending !== undefined) {
      this.#forget();
      this.#hasEnded = true;
      this.#lock = lockFile(this.#options.setup.path);
      if (this.#lock === undefined) this.#gaps++;
      this.#endEnding();
    } else if (message.kind === "needed") this.#endEnding();
  }

  #lose(worker: Worker, reason: string): void {
    if (worker !== this.#worker) return;
    this.#forget();
    this.#gaps++;
    // A thread that is asked to end has nothing to do, so nothing is lost.
    if (this.#ending !== undefined) {
      this.#endEnding();
      return;
    }
    this.#waiting = undefined;
    this.#options.lost(reason);
  }

  #forget(): void {
    this.#worker = undefined;
    clearInterval(this.#timer);
  }

  #endWhenQuiet(): void {
    const { quiet, isNeeded } = this.#options;
    if (quiet === undefined) return;
    let count = this.#postedCount;
    const check = (): void => {
      if (count === this.#postedCount && this.#waiting === undefined && !isNeeded()) this.#end();
      count = this.#postedCount;
    };
    this.#timer = setInterval(check, this.#hasEnded ? quiet.laterMs : quiet.firstMs).unref();
  }

  #end(): void {
    this.#waiting = [];
    this.#ending = Promise.withResolvers();
    this.#worker?.postMessage({ kind: "end" } satisfies ToWorker);
  }

  #endEnding(): void {
    this.#ending?.resolve();
    this.#ending = undefined;
    this.#postWaiting();
  }

  #postWaiting(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const posted of waiting) this.post(posted);
  }

  #unlock(): void {
    this.#lock?.[Symbol.dispose]();
    this.#lock = undefined;
  }
}

/** Returns why a started thread could not open its file; undefined when it could. */
async function openFailure(worker: Worker, noun: string): Promise<string | undefined> {
  const decided = new AbortController();
  const first = (event: "message" | "exit") => once(worker, event, { signal: decided.signal });
  const opened = first("message").then(([message]: FromWorker[]) =>
    message?.kind === "failed" ? message.error.message : undefined,
  );
  try {
    return await Promise.race([
      opened,
      first("exit").then(() => `${noun} thread ended before it opened the file`),
    ]);
  } catch (error) {
    return `${noun} thread failed: ${errorMessage(error)}`;
  } finally {
    decided.abort();
  }
}
