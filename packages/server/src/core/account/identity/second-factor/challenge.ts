import { randomBytes } from 'node:crypto'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Vault } from '#core/kernel/ports/vault.ts'
import { hashSecret } from '../tokens/tokens.ts'
import type { Person } from './person.ts'

export interface ChallengeDeps {
  vault: Vault
  clock: Clock
}

export const challengeValidMs = 5 * 60_000

interface Content {
  /** Whose password was right … */
  subject: string
  /** … under which name … */
  name: string
  /** … as long as it is still the same. */
  password: string
  expires: number
  nonce: string
}

/** Says, sealed, that a person has shown their password a moment ago. It is also what a passkey signs. */
export const makeChallenge = ({ vault, clock }: ChallengeDeps, { subject, name, passwordHash }: Person): string => {
  const expires = clock.now() + challengeValidMs
  const content: Content = { subject, name, password: hashSecret(passwordHash), expires, nonce: randomBytes(16).toString('base64url') }
  return vault.seal(JSON.stringify(content))
}

/** What the challenge says, while it is good. */
export const openChallenge = ({ vault, clock }: ChallengeDeps, challenge: string): Content | undefined => {
  try {
    const content = JSON.parse(vault.open(challenge)) as Partial<Content>
    return content.nonce !== undefined && (content.expires ?? 0) > clock.now() ? (content as Content) : undefined
  } catch {
    return undefined // nothing that we sealed
  }
}

export const isChallengeOf = (
  deps: ChallengeDeps,
  challenge: string,
  { subject, passwordHash }: Pick<Person, 'subject' | 'passwordHash'>,
): boolean => {
  const content = openChallenge(deps, challenge)
  return content?.subject === subject && content.password === hashSecret(passwordHash)
}
