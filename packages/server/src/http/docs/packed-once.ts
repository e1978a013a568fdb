import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

/** Loaded and packed when the first reader comes, and kept: packing costs far more than asking for it. What fails is tried again. */
export const packedOnce = (load: () => Promise<string | Buffer>): (() => Promise<Buffer>) => {
  let packed: Promise<Buffer> | undefined
  const pack = async (): Promise<Buffer> => {
    try {
      return await promisify(gzip)(await load())
    } catch (error) {
      packed = undefined
      throw error
    }
  }
  return () => (packed ??= pack())
}
