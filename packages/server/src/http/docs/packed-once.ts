import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

/** Loaded and compressed at the first request, then kept. What fails is tried again. */
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
