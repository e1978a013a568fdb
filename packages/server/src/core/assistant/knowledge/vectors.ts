/** One byte for each number is enough to tell near from far, and a tenth of what they take as text. */
const scale = 127

/** Of the length 1, in whole numbers. */
export const compact = (vector: readonly number[]): Int8Array => {
  const length = Math.hypot(...vector) || 1
  return Int8Array.from(vector, (value) => Math.round((value / length) * scale))
}

export const writeVectors = (vectors: readonly Int8Array[]): string =>
  Buffer.concat(vectors.map(({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength))).toString('base64')

/** How near each of them is to this one, in their order; undefined when they are not of the same size. */
export const nearness = (text: string, to: Int8Array): number[] | undefined => {
  const bytes = Buffer.from(text, 'base64')
  const all = new Int8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (to.length === 0 || all.length % to.length !== 0) return undefined
  return Array.from({ length: all.length / to.length }, (_, nth) => {
    let sum = 0
    for (let at = 0, from = nth * to.length; at < to.length; at++) sum += all[from + at]! * to[at]!
    return sum / (scale * scale)
  })
}
