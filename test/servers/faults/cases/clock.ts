/** Shifts the clock of the process and its threads: `NODE_OPTIONS=--import=FILE TEST_CLOCK_MS=5000`. */
const shiftMs = Number(process.env["TEST_CLOCK_MS"]);
const { now } = Date;
const SystemDate = Date;

Date.now = () => now() + shiftMs;
globalThis.Date = new Proxy(SystemDate, {
  construct(target, given, newTarget) {
    const args = given.length === 0 ? [Date.now()] : given;
    return Reflect.construct(target, args, newTarget) as object;
  },
  apply: () => new SystemDate(now() + shiftMs).toString(),
});
