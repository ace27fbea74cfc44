/** Longer queries are compressed, and shorter ones stay readable. */
const maxPlainLength = 1_200;
/** Longer addresses are cut by some programs that pass links on. */
const maxEncodedLength = 16_000;
/** Bytes of a query in a link. A link from elsewhere could unpack to so many that the page stands still. */
const maxDecodedBytes = 1_000_000;
const packedMark = "z";

/** Encodes a query for the URL; returns undefined for one that is too long for a link. */
export async function encodeQuery(json: string): Promise<string | undefined> {
  if (json.length <= maxPlainLength) return json;
  const plain = new Blob([json]);
  if (plain.size > maxDecodedBytes) return undefined;
  const stream = plain.stream().pipeThrough(new CompressionStream("deflate-raw"));
  const packed = new Uint8Array(await new Response(stream).arrayBuffer());
  const encoded = packedMark + toBase64Url(packed);
  return encoded.length <= maxEncodedLength ? encoded : undefined;
}

/** Decodes a query of a URL; returns undefined for what is damaged, such as a link that was cut. */
export async function decodeQuery(encoded: string): Promise<string | undefined> {
  if (!encoded.startsWith(packedMark)) return encoded.length > maxDecodedBytes ? undefined : encoded;
  try {
    const packed = fromBase64Url(encoded.slice(packedMark.length));
    return await unpack(new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw")));
  } catch {
    return undefined;
  }
}

async function unpack(stream: ReadableStream<Uint8Array>): Promise<string | undefined> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  let bytes = 0;
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.length;
    if (bytes > maxDecodedBytes) {
      await reader.cancel();
      return undefined;
    }
    text += decoder.decode(value, { stream: true });
  }
}

function toBase64Url(bytes: Uint8Array): string {
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}
