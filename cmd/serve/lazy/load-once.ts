/** The outcome of the first call that succeeds, for all that come meanwhile and later; what has failed is tried again by the next. */
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
