import type { Operation, Session } from "./query.ts";

/** All operations on a store's database, by name. A request to a thread is a name and its arguments. */
export type Operations = Readonly<Record<string, (session: Session, ...args: never[]) => Operation<unknown>>>;

export type NameIn<O extends Operations> = keyof O & string;

/** The arguments of an operation after its session. */
export type ArgumentsOf<O extends Operations, N extends NameIn<O>> =
  Parameters<O[N]> extends readonly [Session, ...infer Rest] ? Rest : never;

/** The result of an operation. */
export type OutcomeOf<O extends Operations, N extends NameIn<O>> =
  ReturnType<O[N]> extends Operation<infer T> ? T : never;

/** Runs operations. Each one is atomic, and durable before its promise resolves. */
export interface Executor<O extends Operations> extends AsyncDisposable {
  call<N extends NameIn<O>>(
    name: N,
    nowMs: number,
    args: ArgumentsOf<O, N>,
    signal: AbortSignal | undefined,
  ): Promise<OutcomeOf<O, N>>;
}

/** Starts the named operation; the caller runs its queries. */
export function start<O extends Operations, N extends NameIn<O>>(
  operations: O,
  name: N,
  session: Session,
  args: ArgumentsOf<O, N>,
): Operation<OutcomeOf<O, N>> {
  const operation = operations[name] as unknown as (
    session: Session,
    ...rest: ArgumentsOf<O, N>
  ) => Operation<OutcomeOf<O, N>>;
  return operation(session, ...args);
}
