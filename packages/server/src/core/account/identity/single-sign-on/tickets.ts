import { randomBytes } from 'node:crypto'
import { Problem } from '@offhook/contract/problem.ts'
import { auditByUser } from '#core/kernel/audit/audit.ts'
import type { Clock, Vault } from '#core/kernel/ports/platform.ts'
import type { SignOnChecks, SignOnClaims } from '#core/kernel/ports/sign-on.ts'
import type { Credentials } from '#core/kernel/ports/store/account.ts'
import type { Store, Tables } from '#core/kernel/ports/store/index.ts'
import { hashSecret, issueToken, lifetimes } from '../tokens/tokens.ts'

const loginMs = 10 * 60_000
const ticketMs = 60_000

interface SealDeps {
  clock: Clock
  vault: Vault
}

/** A login that one browser has begun. Sealed in a cookie, so that nobody can finish a login in the browser of somebody else. */
export interface BegunLogin {
  purpose: 'sso login'
  providerId: string
  checks: SignOnChecks
  browser: string
  /** Login page of an application that waits for it. */
  interaction?: string
  expires: number
}

/** Result of a login, which this browser may exchange once. */
interface Ticket {
  purpose: 'sso ticket'
  providerId: string
  accountId: string
  userId: string
  browser: string
  secondFactor: boolean
  hint: string
  nonce: string
  expires: number
}

const open = <T extends { purpose: string; expires: number }>(
  { clock, vault }: SealDeps,
  purpose: T['purpose'],
  sealed: string,
): T | undefined => {
  try {
    const content = JSON.parse(vault.open(sealed)) as Partial<T>
    return content.purpose === purpose && (content.expires ?? 0) > clock.now() ? (content as T) : undefined
  } catch {
    return undefined // not sealed by us
  }
}

export const sealLogin = (deps: SealDeps, login: Pick<BegunLogin, 'providerId' | 'checks' | 'interaction'>): string => {
  const browser = randomBytes(16).toString('base64url')
  return deps.vault.seal(
    JSON.stringify({ ...login, purpose: 'sso login', browser, expires: deps.clock.now() + loginMs } satisfies BegunLogin),
  )
}

export const openLogin = (deps: SealDeps, sealed: string): BegunLogin | undefined => open<BegunLogin>(deps, 'sso login', sealed)

export const sealTicket = ({ clock, vault }: SealDeps, ticket: Omit<Ticket, 'purpose' | 'nonce' | 'expires'>): string => {
  const nonce = randomBytes(16).toString('base64url')
  return vault.seal(JSON.stringify({ ...ticket, purpose: 'sso ticket', nonce, expires: clock.now() + ticketMs } satisfies Ticket))
}

/** Accepted SAML response on its way to the request with the browser's cookie. */
interface Answer {
  purpose: 'sso answer'
  providerId: string
  inResponseTo: string
  claims: SignOnClaims
  expires: number
}

export const sealAnswer = ({ clock, vault }: SealDeps, answer: Omit<Answer, 'purpose' | 'expires'>): string =>
  vault.seal(JSON.stringify({ ...answer, purpose: 'sso answer', expires: clock.now() + ticketMs } satisfies Answer))

export const openAnswer = (deps: SealDeps, sealed: string): Answer | undefined => open<Answer>(deps, 'sso answer', sealed)

/** True for exactly one of several callers. */
export const spend = async (store: Store, clock: Clock, what: string, expiresAt: number): Promise<boolean> =>
  store.write(({ secondFactors }) => secondFactors.spendChallenge(hashSecret(what), clock.now(), expiresAt))

interface Redeemed {
  credentials: Credentials
  email: string
  secondFactor: boolean
  providerId: string
  hint: string
}

/** Accepts a ticket once, in the browser that began the login. */
export const redeemTicket = async (deps: SealDeps & { store: Store }, sealed: string, login: BegunLogin | undefined): Promise<Redeemed> => {
  const { store, clock } = deps
  const ticket = open<Ticket>(deps, 'sso ticket', sealed)
  if (!ticket || !login || ticket.browser !== login.browser || ticket.providerId !== login.providerId)
    throw new Problem('sign_on_ticket_invalid')
  if (!(await spend(store, clock, `ticket ${ticket.nonce}`, ticket.expires))) throw new Problem('sign_on_ticket_invalid')
  const { accountId, userId, secondFactor, providerId, hint } = ticket
  const credentials = await store.write(({ users }) => users.hold(accountId, userId))
  const [user, account, provider] = await Promise.all([
    store.read.users.find(accountId, userId),
    store.read.accounts.find(accountId),
    store.read.identityProviders.find(accountId, providerId),
  ])
  if (!credentials || !user?.active || !account || !provider) throw new Problem('single_sign_on_failed')
  // The provider is the only place where these users are asked for one.
  if (account.secondFactor && !secondFactor)
    throw new Problem(
      'second_factor_missing',
      'The account demands a second factor, and the identity provider did not say that it asked for one: let it ask, or set secondFactorAtProvider.',
    )
  return { credentials, email: user.email, secondFactor, providerId, hint }
}

interface From {
  program: string
  place: string
}

/** Opens a session that is a login of this provider. */
export const openProviderSession = async (
  tables: Tables,
  { clock, vault }: SealDeps,
  { credentials: { accountId, userId, subject }, secondFactor, providerId, hint }: Redeemed,
  from: From,
): Promise<string> => {
  const now = await tables.users.hold(accountId, userId)
  if (now === undefined || !(await tables.identityProviders.find(accountId, providerId))) throw new Problem('single_sign_on_failed')
  const issue = { kind: 'session', holder: { accountId, userId }, subject, secondFactor, ...from } as const
  const token = await issueToken(tables, clock, { ...issue, scopes: ['all'], lifetime: lifetimes.session })
  const tokenId = (await tables.tokens.findValid(hashSecret(token), clock.now()))?.id ?? ''
  const session = { tokenId, providerId, userId, hintSealed: vault.seal(hint), createdAt: clock.now() }
  await tables.identityProviders.keepSession(accountId, session)
  await auditByUser(tables, clock, { accountId, userId }, 'session.open', tokenId, { provider: providerId })
  return token
}
