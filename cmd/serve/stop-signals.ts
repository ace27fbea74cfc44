/** Signals of a service manager, of Ctrl-C, and of a terminal that closes. */
export const stopSignals = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

/**
 * Runs the exit listeners of the process, which write the last lines of the log, before a stop signal ends it. Node
 * alone ends it without them. The exit status remains that of the signal.
 */
export function dieBySignals(): Disposable {
  const die = (signal: NodeJS.Signals): void => {
    for (const name of stopSignals) process.off(name, die);
    process.once("exit", () => process.kill(process.pid, signal));
    process.exit(1);
  };
  for (const name of stopSignals) process.on(name, die);
  return {
    [Symbol.dispose]() {
      for (const name of stopSignals) process.off(name, die);
    },
  };
}
