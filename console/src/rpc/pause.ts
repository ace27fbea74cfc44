/** Resolves after some time, or at once when the signal aborts. */
export function pause(ms: number, end: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    end.addEventListener("abort", done, { once: true });
    function done(): void {
      clearTimeout(timer);
      end.removeEventListener("abort", done);
      resolve();
    }
  });
}
