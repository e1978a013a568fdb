import type { PasskeyAnswer } from '@offhook/contract/passkeys.ts'
import { Problem } from '@offhook/contract/problem.ts'
import type { LoginChallenge, SecondFactorAnswer, SecondFactorMethod } from '@offhook/contract/second-factor.ts'
import type { PasskeyProofs, PasskeyQuestioned, PasskeySite } from '#core/kernel/ports/account.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import { takeAttempt } from '../attempts/attempt-limits.ts'
import { hashSecret } from '../tokens/tokens.ts'
import { challengeValidMs, isChallengeOf, makeChallenge, type ChallengeDeps } from './challenge.ts'
import { methodsOf } from './challenge.ts'
import type { Person } from './challenge.ts'
import { passkeyQuestion } from './passkeys.ts'
import { recoveryHash } from './set-up.ts'
import { counterOf } from './totp.ts'

interface ProofDeps extends ChallengeDeps {
  store: Store
  passkeyProofs: PasskeyProofs
}

interface LoginPlace {
  ip: string
  /** Undefined where passkeys cannot be used. */
  site: PasskeySite | undefined
}

/** `missing`: required but not set up; the login may only set one up. */
export type Standing = 'complete' | 'missing'

/** Second step of a login. Throws with a challenge while a second factor is outstanding. */
export const proveSecondFactor = async (
  deps: ProofDeps,
  person: Person,
  answer: SecondFactorAnswer,
  { ip, site }: LoginPlace,
): Promise<Standing> => {
  const { store, clock } = deps
  const methods = await methodsOf(store.read, person.subject)
  if (methods.length === 0) return person.demanded ? 'missing' : 'complete'
  const { challenge, code, passkey } = answer
  if (challenge === undefined || !isChallengeOf(deps, challenge, person))
    throw new Problem('second_factor_required', undefined, { login: await askFor(deps, person, methods, site) })
  const attempt = await store.write((tables) => takeAttempt(tables, clock, { kind: 'factor', name: person.subject, ip }))
  const right = passkey
    ? site !== undefined && (await isRightPasskey(deps, person.subject, passkey, { site, challenge }))
    : code !== undefined && (await isRight(deps, person.subject, code))
  if (!right) throw new Problem('second_factor_wrong')
  await store.write((tables) => tables.attempts.forgive(attempt))
  return 'complete'
}

/** Lists the usable methods; passkeys only on the site where they were created. */
const askFor = async (
  deps: ProofDeps,
  person: Person,
  methods: SecondFactorMethod[],
  site: PasskeySite | undefined,
): Promise<LoginChallenge> => {
  const challenge = makeChallenge(deps, person)
  const passkeys = (await deps.store.read.secondFactors.listPasskeys(person.subject)).filter((passkey) => passkey.site === site?.name)
  if (!site || passkeys.length === 0) return { challenge, methods: methods.filter((method) => method !== 'PASSKEY') }
  return { challenge, methods, passkey: passkeyQuestion(site, challenge, passkeys) }
}

const isRight = (deps: ProofDeps, subject: string, code: string): Promise<boolean> => {
  const typed = code.replaceAll(/\s/g, '')
  return /^\d{6}$/.test(typed) ? isRightCode(deps, subject, typed) : isRecoveryCode(deps, subject, typed)
}

/** Each challenge is accepted once, so that an intercepted signature is worthless: not all passkeys count signatures. */
const isRightPasskey = async (
  { store, clock, passkeyProofs }: ProofDeps,
  subject: string,
  answer: PasskeyAnswer,
  questioned: PasskeyQuestioned,
): Promise<boolean> => {
  const passkeys = await store.read.secondFactors.listPasskeys(subject)
  const passkey = passkeys.find(({ credentialId, site }) => credentialId === answer.id && site === questioned.site.name)
  if (!passkey) return false
  const counter = await passkeyProofs.answered(answer, passkey, questioned)
  if (counter === undefined) return false
  const at = clock.now()
  return store.write(
    async ({ secondFactors }) =>
      (await secondFactors.spendChallenge(hashSecret(questioned.challenge), at, at + challengeValidMs)) &&
      (await secondFactors.notePasskeyUse(subject, passkey.id, { counter, at })),
  )
}

/** Each code is accepted once: a code read over a shoulder is spent. */
const isRightCode = ({ store, vault, clock }: ProofDeps, subject: string, code: string): Promise<boolean> =>
  store.write(async ({ secondFactors }) => {
    const totp = await secondFactors.findTotp(subject)
    const counter = totp && counterOf(vault.open(totp.secretSealed), code, clock.now())
    return counter !== undefined && secondFactors.spendTotp(subject, counter)
  })

const isRecoveryCode = ({ store, vault, clock }: ProofDeps, subject: string, code: string): Promise<boolean> =>
  store.write(({ secondFactors }) => secondFactors.spendRecoveryCode(subject, recoveryHash(vault, subject, code), clock.now()))
