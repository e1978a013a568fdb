/** The same bytes in parts of this size; only the last one is smaller. A part is only good until the next one is asked for. */
export async function* inParts(
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  size: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  let buffer = new Uint8Array(0)
  let used = 0
  for await (const piece of content) {
    for (let at = 0; at < piece.length;) {
      if (buffer.length < size) buffer = grown(buffer, used, Math.min(size, used + piece.length - at))
      const taken = piece.subarray(at, at + size - used)
      buffer.set(taken, used)
      used += taken.length
      at += taken.length
      if (used < size) continue
      yield buffer.subarray(0, used)
      used = 0
    }
  }
  if (used > 0) yield buffer.subarray(0, used)
}

/** Small files do not take the memory of large ones. */
const grown = (buffer: Uint8Array<ArrayBuffer>, used: number, wanted: number): Uint8Array<ArrayBuffer> => {
  if (buffer.length >= wanted) return buffer
  const larger = new Uint8Array(Math.max(wanted, buffer.length * 2))
  larger.set(buffer.subarray(0, used))
  return larger
}
