/** What the bundler knows about modules. */
export interface ModuleGraph {
  getModuleInfo(id: string): { readonly importedIds: readonly string[] } | null;
}

/**
 * Returns a function that names the chunk of a module; null leaves that to the bundler. A module is part of the first
 * chunk that has it as a root, or a root that imports it, directly or not. Roots are paths of modules.
 */
export function createChunkNaming(
  roots: Readonly<Record<string, readonly string[]>>,
): (id: string, graph: ModuleGraph) => string | null {
  let chunks: Map<string, string> | undefined;
  return (id, graph) => {
    chunks ??= nameChunks(roots, graph);
    return chunks.get(id) ?? null;
  };
}

function nameChunks(
  roots: Readonly<Record<string, readonly string[]>>,
  graph: ModuleGraph,
): Map<string, string> {
  const chunks = new Map<string, string>();
  for (const [name, starts] of Object.entries(roots)) {
    const reached = [...starts];
    // What is added to a list while it is iterated is visited too.
    for (const id of reached) {
      if (chunks.has(id)) continue;
      chunks.set(id, name);
      reached.push(...(graph.getModuleInfo(id)?.importedIds ?? []));
    }
  }
  return chunks;
}
