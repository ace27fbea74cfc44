/** Shares the first successful result of `load` among all callers. A failed load is retried by the next call. */
export function loadOnce<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  const begin = async (): Promise<T> => {
    try {
      return await load();
    } catch (error) {
      loading = undefined;
      throw error;
    }
  };
  return () => {
    loading ??= begin();
    return loading;
  };
}
