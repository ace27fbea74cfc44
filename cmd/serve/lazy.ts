import type { DescService } from "@bufbuild/protobuf";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import { loadOnce } from "../../base/async/load-once.ts";
import { type EventStore, emptySchema } from "../../store/events/events.ts";

/** A resource that is opened when it is first needed. */
export interface LazyResource<T> extends AsyncDisposable {
  /** Opens the resource. After a failure the next call tries again. Rejects once it is closed. */
  get(): Promise<T>;
  /** Returns the resource, or undefined while it is not open. */
  peek(): T | undefined;
  /** Reports whether the last attempt to open it failed. */
  hasFailed(): boolean;
}

export function createLazyResource<T extends AsyncDisposable>(open: () => Promise<T>): LazyResource<T> {
  let opening: Promise<T> | undefined;
  let value: T | undefined;
  let hasFailed = false;
  let isClosed = false;
  const openOnce = loadOnce(async () => {
    try {
      value = await open();
      hasFailed = false;
      return value;
    } catch (error) {
      hasFailed = true;
      throw error;
    }
  });
  return {
    peek: () => value,
    hasFailed: () => hasFailed,
    get() {
      if (isClosed) return Promise.reject(new Error("it is closed"));
      opening = openOnce();
      return opening;
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
      const opened = await opening?.catch(() => undefined);
      value = undefined;
      await opened?.[Symbol.asyncDispose]();
    },
  };
}

type Method = (request: unknown, context: HandlerContext) => unknown;
type Methods = Readonly<Record<string, Method>>;

/** Returns a promise to wait for before a method runs, or undefined when it can run at once. */
export type Gate = () => Promise<unknown> | undefined;

/**
 * Returns a service whose methods wait for the gate. Once the gate is open, they are called without a promise.
 * @param names methods that wait, all by default
 */
export function gateService<S extends DescService>(
  service: S,
  implementation: ServiceImpl<S>,
  gate: Gate,
  names?: readonly string[],
): ServiceImpl<S> {
  const methods = implementation as Methods;
  const gated = deferMethods(service, () => gate()?.then(() => methods) ?? methods);
  const waiting = Object.entries(gated).filter(([name]) => names === undefined || names.includes(name));
  return { ...implementation, ...Object.fromEntries(waiting) };
}

/**
 * Returns a service whose implementation is loaded by the first call of a method. Concurrent calls share the load;
 * after a failure the next call loads again.
 */
export function createLateService<S extends DescService>(
  service: S,
  load: () => Promise<ServiceImpl<S>>,
): ServiceImpl<S> {
  let loaded: Methods | undefined;
  const loading = loadOnce(async () => {
    loaded = (await load()) as Methods;
    return loaded;
  });
  return deferMethods(service, () => loaded ?? loading()) as unknown as ServiceImpl<S>;
}

/** Returns a service whose methods are those of the implementation at the time of the call. */
export function followService<S extends DescService>(
  service: S,
  current: () => ServiceImpl<S>,
): ServiceImpl<S> {
  const entries = service.methods.map(({ localName }): [string, Method] => [
    localName,
    (request, context) => (current() as Methods)[localName]!(request, context),
  ]);
  return Object.fromEntries(entries) as unknown as ServiceImpl<S>;
}

/** Returns methods that look up their implementation at each call. */
function deferMethods(service: DescService, find: () => Methods | Promise<Methods>): Methods {
  const deferUnary =
    (name: string): Method =>
    (request, context) => {
      const methods = find();
      return methods instanceof Promise
        ? methods.then((found) => found[name]!(request, context))
        : methods[name]!(request, context);
    };
  const deferStream = (name: string): Method =>
    async function* (request, context) {
      const methods = await find();
      yield* methods[name]!(request, context) as AsyncIterable<unknown>;
    };
  return Object.fromEntries(
    service.methods.map(({ localName, methodKind }) => {
      const isStream = methodKind === "server_streaming" || methodKind === "bidi_streaming";
      return [localName, isStream ? deferStream(localName) : deferUnary(localName)];
    }),
  );
}

/** Returns a store that is opened by the first call which needs it. Until then every project has the empty schema. */
export function createLazyEventStore(
  lazy: Pick<LazyResource<{ readonly store: EventStore } & AsyncDisposable>, "peek">,
  open: () => Promise<EventStore>,
): EventStore {
  const peek = (): EventStore | undefined => lazy.peek()?.store;
  return {
    schema: (projectId) => peek()?.schema(projectId) ?? emptySchema,
    loadedTo: () => peek()?.loadedTo(),
    settledTo: () => peek()?.settledTo(),
    queryCounts: () => peek()?.queryCounts() ?? { running: 0, waiting: 0 },
    load: async (batch) => (await open()).load(batch),
    scan: async (scan, signal) => (await open()).scan(scan, signal),
    async *users(scan, signal) {
      yield* (await open()).users(scan, signal);
    },
    async *selectUsers(selection, signal) {
      yield* (await open()).selectUsers(selection, signal);
    },
    scanAll: async (scans, signal) => (await open()).scanAll(scans, signal),
    summarize: async (scan, of, signal) => (await open()).summarize(scan, of, signal),
    volumes: async (caller, signal) => (await open()).volumes(caller, signal),
    topValues: async (wanted, signal) => (await open()).topValues(wanted, signal),
    importCohort: async (version, members) => (await open()).importCohort(version, members),
    cohorts: async (projectId) => (await open()).cohorts(projectId),
    async *export(range, signal) {
      yield* (await open()).export(range, signal);
    },
    async *identities(signal) {
      yield* (await open()).identities(signal);
    },
    compact: async (options) => (await open()).compact(options),
    stats: async () => (await open()).stats(),
    nameUses: async (projectId, signal) => (await open()).nameUses(projectId, signal),
    removeNames: async (removal) => (await open()).removeNames(removal),
    findUsers: async (projectId, ids, signal) => (await open()).findUsers(projectId, ids, signal),
    countEvents: async (selection, signal) => (await open()).countEvents(selection, signal),
    deleteEvents: async (selection, maxEvents) => (await open()).deleteEvents(selection, maxEvents),
    check: async (signal, onProgress) => (await open()).check(signal, onProgress),
    // The caller that opened the store closes it.
    async [Symbol.asyncDispose]() {},
  };
}
