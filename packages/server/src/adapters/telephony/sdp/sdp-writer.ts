import { isIPv6 } from 'node:net'
import { formatSdp, makeMedia, type Connection, type Media, type Direction, type Crypto } from '@offhook/sip/sdp/sdp.ts'
import type { StreamSettings, SrtpSettings } from '#media/engine.ts'
import { randomBytes } from 'node:crypto'

/** The o= line of our descriptions, for a node that resumes the call. */
export interface SavedOrigin {
  sessionId: string
  version: number
}

/** Exceeds the versions sent since the last save: a far end ignores a description with a known version. */
export const unseenVersions = 100

/** Our descriptions in one call: one session with increasing versions (RFC 3264 §8). */
export class SdpWriter {
  readonly #connection: Connection
  readonly #sessionId: string
  #version: number
  #sent: string | undefined

  /** `address`: our media address for the far end. */
  constructor(address: string, saved?: SavedOrigin) {
    this.#connection = { family: isIPv6(address) ? 'IP6' : 'IP4', address }
    this.#sessionId = saved?.sessionId ?? String(Math.floor(Math.random() * 2 ** 47))
    this.#version = saved ? saved.version + unseenVersions : 0
  }

  get saved(): SavedOrigin {
    return { sessionId: this.#sessionId, version: this.#version }
  }

  /** Returns an unchanged description as it is; otherwise increments its version. */
  write(media: Media[]): string {
    const same = this.#format(media)
    if (same === this.#sent) return same
    if (this.#sent === undefined) return (this.#sent = same)
    this.#version++
    return (this.#sent = this.#format(media))
  }

  #format(media: Media[]): string {
    const connection = this.#connection
    const origin = { username: '-', sessionId: this.#sessionId, version: String(this.#version), ...connection }
    return formatSdp({ origin, name: '-', connection, iceLite: false, attributes: [], media })
  }
}

/** RFC 3264 §6: a rejected line stays, with port 0. */
export const refused = ({ kind, protocol, payloads, formats }: Media): Media => {
  const named = payloads.length > 0 ? [String(payloads[0]?.type)] : formats.slice(0, 1)
  return makeMedia({ kind, protocol, port: 0, formats: named, direction: 'inactive' })
}

const defaultPtime = 20

export const hears = (direction: Direction): boolean => direction === 'sendrecv' || direction === 'recvonly'
export const speaks = (direction: Direction): boolean => direction === 'sendrecv' || direction === 'sendonly'

export const directionOf = ({ send, receive }: Pick<StreamSettings, 'send' | 'receive'>): Direction => {
  if (send) return receive ? 'sendrecv' : 'sendonly'
  return receive ? 'recvonly' : 'inactive'
}

/** Their packet time, limited to supported ones: tens of milliseconds up to 60. */
export const ptimeOf = ({ ptime, maxptime }: Pick<Media, 'ptime' | 'maxptime'>): number => {
  const wanted = Math.min(ptime ?? defaultPtime, maxptime ?? 60, 60)
  return Math.max(10, wanted - (wanted % 10))
}

type Suite = SrtpSettings['suite']

const suites = ['AES_CM_128_HMAC_SHA1_80', 'AES_CM_128_HMAC_SHA1_32'] as const satisfies Suite[]
const keyBytes = 30

export interface AgreedKeys {
  /** For our description. */
  crypto: Crypto
  srtp: SrtpSettings
}

/** SDES keys (RFC 4568) of one leg. Ours is made once per suite, so that later offers and answers do not change it. */
export class SdpKeys {
  readonly #ours = new Map<Suite, Uint8Array>()

  offered(): Crypto[] {
    return suites.map((suite, index) => this.#line(suite, index + 1))
  }

  /** The first of their keys that we support, with ours. */
  agree(theirs: readonly Crypto[]): AgreedKeys | undefined {
    for (const { tag, suite: name, key, keyOptions, sessionParams } of theirs) {
      const suite = suites.find((each) => each === name)
      const remoteKey = Buffer.from(key, 'base64')
      // A key with an index (MKI) or with changed protection is not supported.
      if (!suite || remoteKey.length !== keyBytes || keyOptions?.includes(':') === true || sessionParams.length > 0) continue
      return { crypto: this.#line(suite, tag), srtp: { suite, localKey: this.#key(suite), remoteKey } }
    }
    return undefined
  }

  /** Our key of another node's stream. The far end's key comes with its answer. */
  resume(suite: Suite, tag: number, key: string): AgreedKeys {
    this.#ours.set(suite, Buffer.from(key, 'base64'))
    return { crypto: this.#line(suite, tag), srtp: { suite, localKey: this.#key(suite), remoteKey: new Uint8Array(keyBytes) } }
  }

  #line(suite: Suite, tag: number): Crypto {
    return { tag, suite, key: Buffer.from(this.#key(suite)).toString('base64'), keyOptions: undefined, sessionParams: [] }
  }

  #key(suite: Suite): Uint8Array {
    const known = this.#ours.get(suite)
    if (known) return known
    const fresh = randomBytes(keyBytes)
    this.#ours.set(suite, fresh)
    return fresh
  }
}
