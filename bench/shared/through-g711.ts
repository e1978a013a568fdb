import { G711 } from '#media/codec/g711.ts'

/** Sound after a line with G.711 A-law. */
export const throughG711 = (samples: Int16Array): Int16Array<ArrayBuffer> => {
  const codec = new G711('PCMA')
  const bytes = new Uint8Array(samples.length)
  codec.encode(samples, bytes, 0)
  const decoded = new Int16Array(samples.length)
  codec.decode(bytes, 0, bytes.length, decoded, 0)
  return decoded
}
