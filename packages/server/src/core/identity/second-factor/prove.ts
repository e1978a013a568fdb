import { Problem } from '@offhook/contract/problem.ts'
import type { SecondFactorAnswer } from '@offhook/contract/second-factor.ts'
import type { Store } from '../../ports/store/index.ts'
import { takeAttempt } from '../attempt-limits.ts'
import { isChallengeOf, makeChallenge, type ChallengeParts } from './challenge.ts'
import { methodsOf } from './methods.ts'
import type { Person } from './person.ts'
import { recoveryHash } from './recovery-codes.ts'
import { counterOf } from './totp.ts'

export interface ProofParts extends ChallengeParts {
  store: Store
}

/** `missing`: they have none although it is demanded, and may do nothing but set one up. */
export type Standing = 'complete' | 'missing'

/** The second half of a login. Throws, with a challenge, as long as something is to be shown. */
export const proveSecondFactor = async (parts: ProofParts, person: Person, answer: SecondFactorAnswer, ip: string): Promise<Standing> => {
  const { store, clock } = parts
  const methods = await methodsOf(store.read, person.subject)
  if (methods.length === 0) return person.demanded ? 'missing' : 'complete'
  const { challenge } = answer
  if (challenge === undefined || !isChallengeOf(parts, challenge, person))
    throw new Problem('second_factor_required', undefined, { login: { challenge: makeChallenge(parts, person), methods } })
  const attempt = await store.write((tables) => takeAttempt(tables, clock, { kind: 'factor', name: person.subject, ip }))
  if (!(await isRight(parts, person.subject, answer))) throw new Problem('second_factor_wrong')
  await store.write((tables) => tables.attempts.forgive(attempt))
  return 'complete'
}

const isRight = async (parts: ProofParts, subject: string, { code }: SecondFactorAnswer): Promise<boolean> => {
  if (code === undefined) return false
  const typed = code.replaceAll(/\s/g, '')
  return /^\d{6}$/.test(typed) ? isRightCode(parts, subject, typed) : isRecoveryCode(parts, subject, typed)
}

/** Each code opens once, also to those who read it over somebody's shoulder. */
const isRightCode = ({ store, vault, clock }: ProofParts, subject: string, code: string): Promise<boolean> =>
  store.write(async ({ secondFactors }) => {
    const totp = await secondFactors.findTotp(subject)
    const counter = totp && counterOf(vault.open(totp.secretSealed), code, clock.now())
    return counter !== undefined && secondFactors.spendTotp(subject, counter)
  })

const isRecoveryCode = ({ store, vault, clock }: ProofParts, subject: string, code: string): Promise<boolean> =>
  store.write(({ secondFactors }) => secondFactors.spendRecoveryCode(subject, recoveryHash(vault, subject, code), clock.now()))
