import type { Codec } from './codec.ts'

interface Law {
  /** Indexed by the sample's upper bits: small enough for the L1 cache. */
  encode: Uint8Array
  /** Number of lower bits of a sample that do not matter. */
  shift: number
  mask: number
  decode: Int16Array
}

/** ITU-T G.711, A-law: 12 bits of a sample count, even bits are inverted on the line. */
const encodeALaw = (sample: number): number => {
  let magnitude = sample < 0 ? ~sample : sample
  if (magnitude > 15) {
    let segment = 1
    while (magnitude > 31) {
      magnitude >>= 1
      segment++
    }
    magnitude += (segment << 4) - 16
  }
  return (sample < 0 ? magnitude : magnitude | 0x80) ^ 0x55
}

const decodeALaw = (byte: number): number => {
  const code = byte ^ 0x55
  const segment = (code >> 4) & 7
  const step = ((code & 15) << 4) + 8
  const magnitude = segment === 0 ? step : (step + 256) << (segment - 1)
  return code & 0x80 ? magnitude : -magnitude
}

const muLawBias = 33
const muLawTop = 8158

/** ITU-T G.711, µ-law: 14 bits of a sample count, all bits are inverted on the line. */
const encodeMuLaw = (sample: number): number => {
  const magnitude = Math.min(sample < 0 ? ~sample : sample, muLawTop) + muLawBias
  const segment = 26 - Math.clz32(magnitude)
  const code = (segment << 4) | ((magnitude >> (segment + 1)) & 15)
  return ~(sample < 0 ? code | 0x80 : code) & 0xff
}

const decodeMuLaw = (byte: number): number => {
  const code = ~byte & 0xff
  const magnitude = ((((code & 15) << 1) + muLawBias) << ((code >> 4) & 7)) - muLawBias
  return (code & 0x80 ? -magnitude : magnitude) << 2
}

const buildLaw = (bits: number, encodeSample: (sample: number) => number, decodeByte: (byte: number) => number): Law => {
  const size = 1 << bits
  const encode = new Uint8Array(size)
  for (let sample = -size / 2; sample < size / 2; sample++) encode[sample & (size - 1)] = encodeSample(sample)
  return { encode, shift: 16 - bits, mask: size - 1, decode: Int16Array.from({ length: 256 }, (_, byte) => decodeByte(byte)) }
}

const laws = { PCMA: buildLaw(12, encodeALaw, decodeALaw), PCMU: buildLaw(14, encodeMuLaw, decodeMuLaw) }

/** Code words of silence. */
export const g711Silence = { PCMA: 0xd5, PCMU: 0xff } as const

export class G711 implements Codec {
  readonly name: 'PCMA' | 'PCMU'
  readonly clockRate = 8000
  readonly sampleRate = 8000
  readonly #law: Law

  constructor(name: 'PCMA' | 'PCMU') {
    this.name = name
    this.#law = laws[name]
  }

  encode(pcm: Int16Array, into: Uint8Array, at: number): number {
    const { encode, shift, mask } = this.#law
    for (let i = 0; i < pcm.length; i++) into[at + i] = encode[(pcm[i]! >> shift) & mask]!
    return pcm.length
  }

  decode(bytes: Uint8Array, start: number, end: number, into: Int16Array, at: number): number {
    const table = this.#law.decode
    const count = Math.min(end - start, into.length - at)
    for (let i = 0; i < count; i++) into[at + i] = table[bytes[start + i]!]!
    return count
  }

  samples(_bytes: Uint8Array, start: number, end: number): number {
    return end - start
  }

  close(): void {}
}
