import { randomUUID } from 'node:crypto'
import type { NewPasskey, PasskeyOptions, PasskeyQuestion } from '@offhook/contract/passkeys.ts'
import { Problem } from '@offhook/contract/problem.ts'
import type { Static } from 'typebox'
import type { PasskeyProofs, PasskeySite } from '#core/kernel/ports/account.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { Passkey } from '#core/kernel/ports/store/identity.ts'
import { hashSecret } from '../tokens/tokens.ts'
import type { ChallengeDeps } from './challenge.ts'
import { hasSecondFactor } from './challenge.ts'
import { leaveInOrder, secured, type Self } from './set-up.ts'

const timeout = 5 * 60_000
const maxPasskeys = 20
/** ES256, EdDSA, RS256: together they cover all authenticators. */
const algorithms = [-7, -8, -257]

type Verified = Omit<Passkey, 'lastUsedAt'>

/** Bytes of a text, in the JSON encoding of WebAuthn. */
const asBytes = (text: string): string => Buffer.from(text).toString('base64url')

const references = (passkeys: readonly Passkey[]) =>
  passkeys.map(({ credentialId, transports }) => ({ id: credentialId, type: 'public-key' as const, transports: [...transports] }))

/** WebAuthn creation options. The sealed challenge names the person; it is not stored. */
export const passkeyOptions = async (
  { secondFactors }: Tables,
  { vault, clock }: ChallengeDeps,
  { subject, name }: Self,
  site: PasskeySite,
): Promise<Static<typeof PasskeyOptions>> => {
  const challenge = vault.seal(JSON.stringify({ passkeyOf: subject, expires: clock.now() + timeout, nonce: randomUUID() }))
  return {
    challenge,
    passkey: {
      rp: { id: site.name, name: 'Offhook' },
      user: { id: asBytes(subject), name, displayName: name },
      challenge: asBytes(challenge),
      pubKeyCredParams: algorithms.map((alg) => ({ alg, type: 'public-key' })),
      timeout,
      excludeCredentials: references(await secondFactors.listPasskeys(subject)),
      authenticatorSelection: { residentKey: 'discouraged', userVerification: 'discouraged' },
      attestation: 'none',
    },
  }
}

/** WebAuthn request options; the passkey signs the challenge, which the client sends with the repeated login. */
export const passkeyQuestion = (site: PasskeySite, challenge: string, passkeys: readonly Passkey[]): PasskeyQuestion => ({
  rpId: site.name,
  challenge: asBytes(challenge),
  timeout,
  allowCredentials: references(passkeys),
  userVerification: 'discouraged',
})

/** Takes a moment, so it runs outside a transaction. */
export const verifyNewPasskey = async (
  deps: ChallengeDeps & { passkeyProofs: PasskeyProofs },
  { subject }: Self,
  site: PasskeySite,
  { name, challenge, passkey }: Static<typeof NewPasskey>,
): Promise<Verified> => {
  if (!wasAsked(deps, subject, challenge)) throw new Problem('passkey_invalid')
  const made = await deps.passkeyProofs.made(passkey, { site, challenge })
  if (!made) throw new Problem('passkey_invalid')
  return { id: randomUUID(), site: site.name, ...made, name, createdAt: deps.clock.now() }
}

/** Returns recovery codes if it is the first second factor. */
export const addPasskey = async (
  tables: Tables,
  deps: ChallengeDeps,
  self: Self,
  { passkey, challenge }: { passkey: Verified; challenge: string },
): Promise<string[]> => {
  const { secondFactors } = tables
  const { subject } = self
  const now = deps.clock.now()
  if (!(await secondFactors.spendChallenge(hashSecret(challenge), now, now + timeout))) throw new Problem('passkey_invalid')
  if ((await secondFactors.listPasskeys(subject)).length >= maxPasskeys)
    throw new Problem('conflict', 'A user can have at most 20 passkeys.')
  const first = !(await hasSecondFactor(tables, subject))
  if (!(await secondFactors.insertPasskey(subject, passkey))) throw new Problem('already_exists', 'This passkey is already registered.')
  return first ? secured(tables, deps, self) : []
}

export const removePasskey = async (tables: Tables, self: Self, id: string): Promise<void> => {
  if (!(await tables.secondFactors.removePasskey(self.subject, id))) throw new Problem('passkey_not_found')
  await leaveInOrder(tables, self)
}

/** Whether this challenge was recently issued to this person for a new passkey. */
const wasAsked = ({ vault, clock }: ChallengeDeps, subject: string, challenge: string): boolean => {
  try {
    const { passkeyOf, expires = 0 } = JSON.parse(vault.open(challenge)) as { passkeyOf?: string; expires?: number }
    return passkeyOf === subject && expires > clock.now()
  } catch {
    return false // not sealed by us
  }
}
