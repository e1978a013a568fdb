import { hash, createCipheriv } from 'node:crypto'
import type { SrtpSettings } from '../engine.ts'
import { readUint32, rtpPayloadStart, writeUint32 } from './rtp.ts'

const srtpKeyBytes = 30
/** Maximum bytes added to RTP and to RTCP. */
export const srtpOverhead = 14

const rtcpTagBytes = 10
const rtcpHeaderBytes = 8
const replayWindow = 64
/** With more sources, the oldest are dropped. */
const maxSources = 8
const maxPacketLength = 1500
/** Maximum rollovers before joining: 28 hours of packets of 20 ms. */
const maxRollovers = 80

/** Packet index of one source: its rollover counter, and the replay window. */
class Source {
  rollover = 0
  highestSequence: number
  readonly #seen = new Float64Array(replayWindow).fill(-1)
  #highest = -1

  constructor(sequence: number, rollover = 0) {
    this.highestSequence = sequence
    this.rollover = rollover
  }

  /** RFC 3711 §3.3.1: the most likely rollover counter; -1 for before the beginning. */
  guessRollover(sequence: number): number {
    const distance = sequence - this.highestSequence
    if (distance > 32768) return this.rollover - 1
    return distance < -32768 ? this.rollover + 1 : this.rollover
  }

  isNew(index: number): boolean {
    return index > this.#highest - replayWindow && this.#seen[index % replayWindow] !== index
  }

  note(rollover: number, sequence: number, index: number): void {
    this.#seen[index % replayWindow] = index
    if (index <= this.#highest) return
    this.#highest = index
    this.rollover = rollover
    this.highestSequence = sequence
  }
}

/** HMAC-SHA1 by two plain hashes: several times faster here than the library's own. */
class Authenticator {
  readonly #inner = Buffer.alloc(64 + maxPacketLength + 4, 0x36)
  readonly #outer = Buffer.alloc(64 + 20, 0x5c)

  constructor(key: Uint8Array) {
    for (let i = 0; i < key.length; i++) {
      this.#inner[i]! ^= key[i]!
      this.#outer[i]! ^= key[i]!
    }
  }

  /** Tag of `bytes[0, length)` and, for RTP, the rollover counter. */
  tag(bytes: Uint8Array, length: number, rollover: number | undefined): Buffer {
    const inner = this.#inner
    for (let i = 0; i < length; i++) inner[64 + i] = bytes[i]!
    if (rollover !== undefined) writeUint32(inner, 64 + length, rollover)
    const digest = hash('sha1', inner.subarray(0, 64 + length + (rollover === undefined ? 0 : 4)), 'buffer')
    digest.copy(this.#outer, 64)
    return hash('sha1', this.#outer, 'buffer')
  }
}

const sameTag = (bytes: Uint8Array, at: number, tag: Uint8Array, length: number): boolean => {
  let difference = 0
  for (let i = 0; i < length; i++) difference |= bytes[at + i]! ^ tag[i]!
  return difference === 0
}

/** One direction of a protected stream (RFC 3711). Works in place; returns -1 on errors and never throws. */
export class Srtp {
  /** Packets changed in transit or made without the key. */
  packetsForged = 0
  packetsReplayed = 0
  readonly #tagBytes: number
  readonly #rtpCipher: AesCounter
  readonly #rtpAuthenticator: Authenticator
  readonly #rtcpCipher: AesCounter
  readonly #rtcpAuthenticator: Authenticator
  readonly #sources = new Map<number, Source>()
  readonly #rtcpSources = new Map<number, Source>()
  readonly #joined: boolean
  #rtcpIndex = 0

  /** `key`: master key and salt, 30 bytes. `joined`: the sender may have used it for long. */
  constructor(key: Uint8Array, suite: SrtpSettings['suite'], { joined = false }: { joined?: boolean | undefined } = {}) {
    this.#joined = joined
    if (key.length !== srtpKeyBytes) throw new RangeError(`an SRTP key has ${srtpKeyBytes} bytes`)
    const derive = (label: number, length: number): Uint8Array => deriveKey(key.subarray(0, 16), key.subarray(16), label, length)
    this.#tagBytes = suite === 'AES_CM_128_HMAC_SHA1_80' ? 10 : 4
    this.#rtpCipher = new AesCounter(derive(0, 16), derive(2, 14))
    this.#rtpAuthenticator = new Authenticator(derive(1, 20))
    this.#rtcpCipher = new AesCounter(derive(3, 16), derive(5, 14))
    this.#rtcpAuthenticator = new Authenticator(derive(4, 20))
  }

  /** Returns the new length; the buffer needs room for `srtpOverhead` more bytes. */
  protect(packet: Uint8Array, length: number): number {
    const start = rtpPayloadStart(packet, length)
    if (start < 0 || length > maxPacketLength || length + this.#tagBytes > packet.length) return -1
    const ssrc = readUint32(packet, 8)
    const sequence = (packet[2]! << 8) | packet[3]!
    const source = this.#sources.get(ssrc) ?? remember(this.#sources, ssrc, new Source(sequence))
    const rollover = source.guessRollover(sequence)
    if (rollover < 0) return -1
    source.note(rollover, sequence, rollover * 65536 + sequence)
    this.#rtpCipher.apply(packet, start, length, ssrc, rollover, sequence)
    packet.set(this.#rtpAuthenticator.tag(packet, length, rollover).subarray(0, this.#tagBytes), length)
    return length + this.#tagBytes
  }

  /** Returns the new length, -1 for a rejected packet. */
  unprotect(packet: Uint8Array, length: number): number {
    const end = length - this.#tagBytes
    const start = rtpPayloadStart(packet, end)
    if (start < 0 || end > maxPacketLength || length > packet.length) return -1
    const ssrc = readUint32(packet, 8)
    const sequence = (packet[2]! << 8) | packet[3]!
    const known = this.#sources.get(ssrc)
    const source = known ?? new Source(sequence, this.#joined ? this.#rolloverOf(packet, end) : 0)
    const rollover = source.guessRollover(sequence)
    if (rollover < 0) return -1
    const index = rollover * 65536 + sequence
    if (!source.isNew(index)) {
      this.packetsReplayed++
      return -1
    }
    if (!sameTag(packet, end, this.#rtpAuthenticator.tag(packet, end, rollover), this.#tagBytes)) {
      this.packetsForged++
      return -1
    }
    if (!known) remember(this.#sources, ssrc, source)
    source.note(rollover, sequence, index)
    this.#rtpCipher.apply(packet, start, end, ssrc, rollover, sequence)
    return end
  }

  /** Searches the rollover counter of a tag. Only used until the first valid packet of the source. */
  #rolloverOf(packet: Uint8Array, end: number): number {
    for (let rollover = 0; rollover < maxRollovers; rollover++) {
      if (sameTag(packet, end, this.#rtpAuthenticator.tag(packet, end, rollover), this.#tagBytes)) return rollover
    }
    return 0
  }

  /** RFC 3711 §3.4. Its tag has 80 bits in both suites. */
  protectRtcp(packet: Uint8Array, length: number): number {
    if (length < rtcpHeaderBytes || length > maxPacketLength - 4 || length + srtpOverhead > packet.length) return -1
    const index = ++this.#rtcpIndex
    this.#applyRtcp(packet, length, index)
    writeUint32(packet, length, index | 0x80000000)
    packet.set(this.#rtcpAuthenticator.tag(packet, length + 4, undefined).subarray(0, rtcpTagBytes), length + 4)
    return length + 4 + rtcpTagBytes
  }

  unprotectRtcp(packet: Uint8Array, length: number): number {
    const end = length - rtcpTagBytes - 4
    if (end < rtcpHeaderBytes || length > packet.length || end > maxPacketLength - 4) return -1
    const ssrc = readUint32(packet, 4)
    const trailer = readUint32(packet, end)
    const index = trailer & 0x7fffffff
    const known = this.#rtcpSources.get(ssrc)
    if (known && !known.isNew(index)) {
      this.packetsReplayed++
      return -1
    }
    if (!sameTag(packet, end + 4, this.#rtcpAuthenticator.tag(packet, end + 4, undefined), rtcpTagBytes)) {
      this.packetsForged++
      return -1
    }
    const source = known ?? remember(this.#rtcpSources, ssrc, new Source(0))
    source.note(0, 0, index)
    if (trailer > 0x7fffffff) this.#applyRtcp(packet, end, index)
    return end
  }

  #applyRtcp(packet: Uint8Array, end: number, index: number): void {
    this.#rtcpCipher.apply(packet, rtcpHeaderBytes, end, readUint32(packet, 4), index >>> 16, index & 0xffff)
  }
}

/** Only sources that know the key are stored. */
const remember = (sources: Map<number, Source>, ssrc: number, source: Source): Source => {
  const [oldest] = sources.keys()
  if (sources.size >= maxSources && oldest !== undefined) sources.delete(oldest)
  sources.set(ssrc, source)
  return source
}

const blockBytes = 16
/** Maximum blocks of a packet. */
const maxBlocks = 96

/** ECB cipher, reused for all packets: creating one costs more than ten times a use. */
const blockCipher = (key: Uint8Array) => createCipheriv('aes-128-ecb', key, null).setAutoPadding(false)

/** AES in counter mode for SRTP (RFC 3711 §4.1.1). Encryption and decryption are the same. */
export class AesCounter {
  readonly #cipher
  readonly #salt: Uint8Array
  /** One counter block per 16 bytes of a packet; only its last two bytes differ within a packet. */
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

  /** `high` and `low`: the packet index, 32 and 16 bits. False: longer than a packet can be. */
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

/** RFC 3711 §4.3.1, without re-keying: labels 0 to 5 are the keys for encryption, authentication and salt, of RTP and of RTCP. */
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
