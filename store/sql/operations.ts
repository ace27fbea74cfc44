import type { Operation, Session } from "./query.ts";

/** All that can be asked of a store's database, by name: a request to a thread is a name and its arguments. */
export type Operations = Readonly<Record<string, (session: Session, ...args: never[]) => Operation<unknown>>>;

export type NameIn<O extends Operations> = keyof O & string;

/** The arguments behind the session. */
export type ArgumentsOf<O extends Operations, N extends NameIn<O>> =
  Parameters<O[N]> extends readonly [Session, ...infer Rest] ? Rest : never;

export type OutcomeOf<O extends Operations, N extends NameIn<O>> =
  ReturnType<O[N]> extends Operation<infer T> ? T : never;

/** What runs operations, each atomically and durably before it resolves. */
export interface Executor<O extends Operations> extends AsyncDisposable {
  call<N extends NameIn<O>>(
    name: N,
    nowMs: number,
    args: ArgumentsOf<O, N>,
    signal: AbortSignal | undefined,
  ): Promise<OutcomeOf<O, N>>;
}

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
