import { createPause } from "../async/pause.ts";

/** What writes files that can be copied only while they stay as they are, such as a store. */
export interface FileOwner {
  /**
   * Resolves when the files have everything that was acknowledged. Until the returned function is called, they change
   * only at the end of logs. Another process has to copy them: the system frees the locks that a process has on a file,
   * which keep other writers out, as soon as this process closes a second descriptor of it.
   */
  hold(): Promise<Release>;
}

/** Lets the files change again. */
export type Release = () => Promise<void>;

/** The owners of all files of a process, so that the files can be copied together while the owners continue. */
export interface FileHolds {
  /** Opens an owner. While files are held, this waits. */
  own<T extends FileOwner>(open: () => Promise<T>): Promise<T>;
  /** Forgets an owner that is closed. */
  disown(owner: FileOwner): void;
  /** Holds the files of all owners. Calls follow one another. */
  hold(): Promise<Release>;
}

export function createFileHolds(): FileHolds {
  const owners = new Set<FileOwner>();
  const openings = createPause();
  return {
    own: (open) =>
      openings.run(async () => {
        const owner = await open();
        owners.add(owner);
        return owner;
      }),
    disown: (owner) => void owners.delete(owner),
    async hold() {
      const resume = await openings.hold();
      const settled = await Promise.allSettled([...owners].map((owner) => owner.hold()));
      const releases = settled.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
      const release: Release = async () => {
        resume();
        // An owner that has failed meanwhile has nothing to release.
        await Promise.allSettled(releases.map((one) => one()));
      };
      const failed = settled.find((one) => one.status === "rejected");
      if (failed === undefined) return release;
      await release();
      throw failed.reason;
    },
  };
}
