import type { Cluster } from "../cluster.ts";
import type { Load } from "../load/load.ts";

/** Something that goes wrong under load. */
export interface Fault {
  /** What happens, as the start of a sentence. */
  readonly name: string;
  /** Lets it happen, and mends it. */
  inject(cluster: Cluster, load: Load): Promise<void>;
}
