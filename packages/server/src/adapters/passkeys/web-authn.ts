import type { PasskeyProofs, PasskeyQuestioned } from '#core/kernel/ports/account.ts'

/** Thirty megabytes, which is much for installations without passkeys. */
const library = () => import('@simplewebauthn/server')

/** Fixed parts of a passkey: we request no extensions. */
const plain = { type: 'public-key', clientExtensionResults: {} } as const

export const webAuthn = (): PasskeyProofs => ({
  async made(credential, questioned) {
    if (await hasCertificates(credential.response.attestationObject)) return undefined
    const { verifyRegistrationResponse } = await library()
    const { id, rawId, response } = credential
    const { clientDataJSON, attestationObject, transports = [] } = response
    const checked = await orNothing(
      verifyRegistrationResponse({
        response: { ...plain, id, rawId, response: { clientDataJSON, attestationObject } },
        ...expected(questioned),
      }),
    )
    if (!checked?.verified) return undefined
    const { id: credentialId, publicKey, counter } = checked.registrationInfo.credential
    const known = transports.filter((word) => /^[a-z-]+$/.test(word))
    return { credentialId, publicKey: Buffer.from(publicKey).toString('base64url'), counter, transports: known }
  },

  async answered({ id, rawId, response }, { credentialId, publicKey, counter }, questioned) {
    const { verifyAuthenticationResponse } = await library()
    const { clientDataJSON, authenticatorData, signature } = response
    const checked = await orNothing(
      verifyAuthenticationResponse({
        response: { ...plain, id, rawId, response: { clientDataJSON, authenticatorData, signature } },
        credential: { id: credentialId, publicKey: new Uint8Array(Buffer.from(publicKey, 'base64url')), counter },
        ...expected(questioned),
      }),
    )
    return checked?.verified ? checked.authenticationInfo.newCounter : undefined
  },
})

const expected = ({ site, challenge }: PasskeyQuestioned) => ({
  expectedChallenge: Buffer.from(challenge).toString('base64url'),
  expectedOrigin: site.origin,
  expectedRPID: site.name,
  requireUserVerification: false, // the password was already verified
})

/** We never verify the maker of an authenticator. Verifying unrequested certificates would fetch from addresses in them. */
const hasCertificates = async (attestationObject: string): Promise<boolean> => {
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers')
  try {
    const decoded = decodeAttestationObject(new Uint8Array(Buffer.from(attestationObject, 'base64url')))
    const self = decoded.get('fmt') === 'packed' && decoded.get('attStmt').get('x5c') === undefined
    return decoded.get('fmt') !== 'none' && !self
  } catch {
    return true // unreadable; it is not inspected further
  }
}

/** The library throws on every mismatch. */
const orNothing = <T>(check: Promise<T>): Promise<T | undefined> => check.catch(() => undefined)
