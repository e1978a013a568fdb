import { randomBytes } from 'node:crypto'
import type { SrtpSettings } from '#media/engine.ts'
import type { Crypto } from '@offhook/sip/sdp/sdp.ts'

type Suite = SrtpSettings['suite']

const suites = ['AES_CM_128_HMAC_SHA1_80', 'AES_CM_128_HMAC_SHA1_32'] as const satisfies Suite[]
const keyBytes = 30

export interface AgreedKeys {
  /** For our description. */
  crypto: Crypto
  srtp: SrtpSettings
}

/** Keys in the description (RFC 4568) of one leg. Ours is made once for each suite, so that later offers and answers do not change it. */
export class SdpKeys {
  readonly #ours = new Map<Suite, Uint8Array>()

  offered(): Crypto[] {
    return suites.map((suite, index) => this.#line(suite, index + 1))
  }

  /** The first of theirs that we can use, with ours beside it. */
  agree(theirs: readonly Crypto[]): AgreedKeys | undefined {
    for (const { tag, suite: name, key, keyOptions, sessionParams } of theirs) {
      const suite = suites.find((each) => each === name)
      const remoteKey = Buffer.from(key, 'base64')
      // A key with an index (MKI) or a changed protection is more than we do.
      if (!suite || remoteKey.length !== keyBytes || keyOptions?.includes(':') === true || sessionParams.length > 0) continue
      return { crypto: this.#line(suite, tag), srtp: { suite, localKey: this.#key(suite), remoteKey } }
    }
    return undefined
  }

  /** Ours of a stream that another process had. That of the far end comes with its answer. */
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
