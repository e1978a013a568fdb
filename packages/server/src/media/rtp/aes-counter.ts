import { createCipheriv } from 'node:crypto'

const blockBytes = 16
/** As much as a packet can have. */
const maxBlocks = 96

/** The cipher without chaining, kept for all packets: making one costs more than ten times of using it. */
const blockCipher = (key: Uint8Array) => createCipheriv('aes-128-ecb', key, null).setAutoPadding(false)

/** AES in counter mode as SRTP uses it (RFC 3711 §4.1.1). Encrypting and decrypting are the same. */
export class AesCounter {
  readonly #cipher
  readonly #salt: Uint8Array
  /** One block for each 16 bytes of a packet; the last two bytes of each count, the others are the same for a whole packet. */
  readonly #counters = new Uint8Array(maxBlocks * blockBytes)
  readonly #prefix = new Uint8Array(14)

  constructor(key: Uint8Array, salt: Uint8Array) {
    this.#cipher = blockCipher(key)
    this.#salt = salt.slice(0, 14)
    for (let block = 0; block < maxBlocks; block++) {
      this.#counters.set(this.#salt, block * blockBytes)
      this.#counters[block * blockBytes + 15] = block
    }
  }

  /** `high` and `low`: the packet's number, 32 and 16 bits. False: more than a packet can be. */
  apply(bytes: Uint8Array, start: number, end: number, ssrc: number, high: number, low: number): boolean {
    const blocks = Math.ceil((end - start) / blockBytes)
    if (blocks > maxBlocks) return false
    if (blocks <= 0) return true
    this.#setPrefix(ssrc, high, low)
    const prefix = this.#prefix
    const counters = this.#counters
    for (let at = 0; at < blocks * blockBytes; at += blockBytes) for (let i = 4; i < 14; i++) counters[at + i] = prefix[i]!
    const keystream = this.#cipher.update(counters.subarray(0, blocks * blockBytes))
    for (let i = start; i < end; i++) bytes[i]! ^= keystream[i - start]!
    return true
  }

  #setPrefix(ssrc: number, high: number, low: number): void {
    const prefix = this.#prefix
    const salt = this.#salt
    for (let i = 0; i < 4; i++) {
      prefix[4 + i] = salt[4 + i]! ^ (ssrc >>> (24 - 8 * i))
      prefix[8 + i] = salt[8 + i]! ^ (high >>> (24 - 8 * i))
    }
    prefix[12] = salt[12]! ^ (low >>> 8)
    prefix[13] = salt[13]! ^ low
  }
}

/** RFC 3711 §4.3.1, without re-keying: label 0 to 5 are the keys for encryption, authentication and salt, of RTP and of RTCP. */
export const deriveKey = (masterKey: Uint8Array, masterSalt: Uint8Array, label: number, length: number): Uint8Array => {
  const counter = new Uint8Array(blockBytes)
  counter.set(masterSalt.subarray(0, 14))
  counter[7]! ^= label
  const cipher = blockCipher(masterKey)
  const key = new Uint8Array(Math.ceil(length / blockBytes) * blockBytes)
  for (let block = 0; block * blockBytes < length; block++) {
    counter[15] = block
    key.set(cipher.update(counter), block * blockBytes)
  }
  return key.subarray(0, length)
}
