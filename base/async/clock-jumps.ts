import type { Clock } from "./clock.ts";

/** Smaller steps come from synchronization over the network. */
const minJumpMs = 2_000;
const lookMs = 1_000;

/**
 * Reports each jump of the computer's clock once, within about a second.
 * After a suspension it reports the duration of the suspension.
 * @param onJump receives the milliseconds by which the clock was set forward; negative when it was set back
 */
export function watchClockJumps(clock: Omit<Clock, "wait">, onJump: (ms: number) => void): Disposable {
  let aheadMs = clock.now() - clock.monotonicMs();
  let cancel = (): void => {};
  function look(): void {
    const beforeMs = aheadMs;
    aheadMs = clock.now() - clock.monotonicMs();
    if (Math.abs(aheadMs - beforeMs) >= minJumpMs) onJump(Math.round(aheadMs - beforeMs));
    cancel = clock.after(lookMs, look);
  }
  cancel = clock.after(lookMs, look);
  return { [Symbol.dispose]: () => cancel() };
}
