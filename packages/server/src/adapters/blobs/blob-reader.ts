import type { BlobFacts, Blobs } from '#core/kernel/ports/files.ts'
import type { OpenFile } from './folder-blobs.ts'

/** Bytes fetched per request; sequential readers find the next part in memory. */
const windowBytes = 1024 * 1024

/** Reads a file of a remote store in windows, with one window in memory. Resumes there after a short outage of the store. */
export const blobReader = (blobs: Pick<Blobs, 'open'>, key: string, { bytes, changedAt }: BlobFacts): OpenFile => {
  let window = new Uint8Array(0)
  let start = 0
  const fetched = async (position: number, length: number): Promise<Uint8Array<ArrayBuffer>> => {
    const last = Math.min(bytes, position + Math.max(length, windowBytes)) - 1
    const part = await blobs.open(key, { first: position, last })
    if (!part) throw new Error('a file was erased while it was read')
    const piece = new Uint8Array(last - position + 1)
    let used = 0
    for await (const some of part.content) {
      piece.set(some, used)
      used += some.length
    }
    return piece.subarray(0, used)
  }
  return {
    bytes,
    changedAt,
    async read(position, length) {
      const wanted = Math.min(length, bytes - position)
      if (wanted <= 0) return new Uint8Array(0)
      if (position < start || position + wanted > start + window.length) [window, start] = [await fetched(position, wanted), position]
      return window.subarray(position - start, position - start + wanted)
    },
    close: () => Promise.resolve(),
  }
}
