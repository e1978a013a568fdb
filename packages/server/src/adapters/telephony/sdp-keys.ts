import { randomBytes } from 'node:crypto'
import type { SrtpSettings } from '../../media/engine.ts'
import type { Crypto } from '../../sip/sdp/sdp.ts'

const suites: readonly string[] = ['AES_CM_128_HMAC_SHA1_80', 'AES_CM_128_HMAC_SHA1_32'] satisfies SrtpSettings['suite'][]
const keyBytes = 30

export interface AgreedKeys {
  /** For our description. */
  crypto: Crypto
  srtp: SrtpSettings
}

/** The first of their keys (RFC 4568) that we can use, with ours beside it; `known` are those in use, which stay as long as it is the same suite. */
export const agreeKeys = (theirs: readonly Crypto[], known: AgreedKeys | undefined): AgreedKeys | undefined => {
  for (const { tag, suite, key, keyOptions, sessionParams } of theirs) {
    const remoteKey = Buffer.from(key, 'base64')
    // A key with an index (MKI) or a changed protection is more than we do.
    if (!suites.includes(suite) || remoteKey.length !== keyBytes || keyOptions?.includes(':') === true || sessionParams.length > 0) continue
    const localKey = known?.srtp.suite === suite ? known.srtp.localKey : randomBytes(keyBytes)
    const crypto = { tag, suite, key: Buffer.from(localKey).toString('base64'), keyOptions: undefined, sessionParams: [] }
    return { crypto, srtp: { suite: suite as SrtpSettings['suite'], localKey, remoteKey } }
  }
  return undefined
}
