/**
 * For messages that were being sent when a process died: one of them may be why, and
 * those that are sent beside it would lose an attempt each time too.
 */
export class OneAtATime {
  #last: Promise<void> = Promise.resolve();

  /** Resolves when those before have left; disposing of the result leaves. */
  async enter(): Promise<Disposable> {
    const before = this.#last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = promise;
    await before;
    return { [Symbol.dispose]: resolve };
  }
}
