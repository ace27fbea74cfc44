declare module "snappyjs" {
  /** Raw block format. @throws Error when it is malformed, or longer than `maxLength` */
  export function uncompress(compressed: Uint8Array, maxLength?: number): Uint8Array;
  export function compress(uncompressed: Uint8Array): Uint8Array;
}
