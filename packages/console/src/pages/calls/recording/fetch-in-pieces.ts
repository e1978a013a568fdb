import { fetchAsRole } from '#api/client.ts'
import { refusal } from '@offhook/sdk/client-of.ts'

const chunkBytes = 1024 * 1024

/** How many bytes there are, without fetching them. */
export const sizeOf = async (path: string, signal: AbortSignal): Promise<number> => {
  const reply = await ask(path, 0, 0, signal)
  await reply.body?.cancel()
  return totalOf(reply)
}

/** A file of any size, piece by piece, so that one can see it come. */
export const fetchInChunks = async (
  path: string,
  signal: AbortSignal,
  onProgress: (share: number) => void,
): Promise<Uint8Array<ArrayBuffer>> => {
  const first = await ask(path, 0, chunkBytes - 1, signal)
  const total = totalOf(first)
  const all = new Uint8Array(total)
  let filled = fill(all, 0, await first.arrayBuffer())
  while (filled < total) {
    onProgress(filled / total)
    const piece = await ask(path, filled, Math.min(filled + chunkBytes, total) - 1, signal)
    const before = filled
    filled = fill(all, filled, await piece.arrayBuffer())
    if (filled === before) throw new Error('the file ended too early')
  }
  return all
}

const ask = async (path: string, first: number, last: number, signal: AbortSignal): Promise<Response> => {
  const reply = await fetchAsRole(path, { headers: { range: `bytes=${first}-${last}` }, signal })
  if (!reply.ok) throw await refusal(reply)
  return reply
}

/** `bytes 0-99/1234`; a server without ranges sends everything at once. */
const totalOf = ({ headers }: Response): number =>
  Number(/\/(\d+)$/.exec(headers.get('content-range') ?? '')?.[1] ?? headers.get('content-length') ?? 0)

const fill = (all: Uint8Array, at: number, piece: ArrayBuffer): number => {
  all.set(new Uint8Array(piece).subarray(0, all.length - at), at)
  return at + Math.min(piece.byteLength, all.length - at)
}
