/**
 * Reads a file piece by piece, as the browser gives them.
 * @throws Error of the browser for a file that cannot be read
 */
export async function* piecesOf(file: Pick<File, "stream">): AsyncGenerator<Uint8Array> {
  const reader = file.stream().getReader();
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
  } finally {
    await reader.cancel();
  }
}
