/** The memory of a request and its response without the URL, the headers and the body. */
const requestBytes = 3_000;
/** The memory of the name or the value of a header beside its characters. */
const textBytes = 40;

/** Returns about how much memory a request takes without its body. @param rawHeaders names and values in turn */
export function headBytesOf(rawHeaders: readonly string[], url = ""): number {
  let characters = url.length;
  for (const text of rawHeaders) characters += text.length;
  return requestBytes + textBytes * rawHeaders.length + characters;
}
