import { hash, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto'
import type { Scope } from '@offhook/contract/scopes.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { NewToken, TokenKind } from '#core/kernel/ports/store/identity.ts'

/** Seconds. Access tokens are short-lived because they travel; refresh tokens renew them for a month. */
export const lifetimes = { access: 300, refresh: 2_592_000, session: 2_592_000, operator: 43_200, unfinished: 1_800 } as const

export const hashSecret = (secret: string): string => hash('sha256', secret, 'base64url')

/** Constant-time comparison. */
export const isSecretOf = (storedHash: string, secret: string): boolean => {
  const [stored, given] = [Buffer.from(storedHash), Buffer.from(hashSecret(secret))]
  return stored.length === given.length && timingSafeEqual(stored, given)
}

/** Subject of an operator in tokens. */
export const operatorSubject = (id: string): string => `operator:${id}`

export interface Issue {
  kind: Exclude<TokenKind, 'personal'>
  holder: NewToken['holder']
  /** Subject in the token's readable part. */
  subject: string
  scopes: readonly Scope[]
  clientId?: string
  grantId?: string
  name?: string
  /** Seconds; undefined: valid until revoked. */
  lifetime?: number
  program?: string
  place?: string
  /** Whether the login behind it used a second factor. */
  secondFactor?: boolean
}

/** Creates a bearer token and stores its hash; only the requester knows the token. */
export const issueToken = async (tables: Tables, clock: Clock, issue: Issue): Promise<string> => {
  const createdAt = clock.now()
  const id = randomUUID()
  const bearer = bearerText(issue, id, createdAt)
  const { kind, holder, scopes, clientId, grantId, name, lifetime, program, place, secondFactor = false } = issue
  await tables.tokens.insert({
    id,
    hash: hashSecret(bearer),
    kind,
    holder,
    scopes,
    createdAt,
    program,
    place,
    secondFactor,
    ...(clientId !== undefined && { clientId }),
    ...(grantId !== undefined && { grantId }),
    ...(name !== undefined && { name }),
    ...(lifetime !== undefined && { expiresAt: createdAt + lifetime * 1000 }),
  })
  return bearer
}

/**
 * Clients parse bearer tokens and expect a JWT, so it looks like one. For us it is opaque: its third part is random, not a
 * signature, and a token is valid because its hash is in the store, so that it can be revoked immediately.
 */
const bearerText = ({ subject, scopes, clientId, lifetime }: Issue, id: string, createdAt: number): string => {
  const issuedAt = Math.floor(createdAt / 1000)
  const payload = {
    sub: subject,
    jti: id,
    iat: issuedAt,
    ...(lifetime !== undefined && { exp: issuedAt + lifetime }),
    ...(clientId !== undefined && { azp: clientId }),
    scope: scopes.join(' '),
    realm_access: { roles: scopes },
  }
  return [{ typ: 'JWT', alg: 'HS256' }, payload].map(encode).join('.') + `.${randomBytes(32).toString('base64url')}`
}

const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url')

interface PersonalIssue {
  holder: { accountId: string; userId: string }
  name: string
  scopes: readonly Scope[]
  /** Inherited from the token that creates it. */
  secondFactor: boolean
}

/** `token-` and six characters, with a UUID as its secret: the form of existing clients' Basic credentials. */
export const issuePersonalToken = async (
  tables: Tables,
  clock: Clock,
  { holder, name, scopes, secondFactor }: PersonalIssue,
): Promise<{ tokenId: string; token: string }> => {
  const tokenId = `token-${randomCharacters(6)}`
  const token = randomUUID()
  await tables.tokens.insert({
    id: tokenId,
    hash: hashSecret(`${tokenId}:${token}`),
    kind: 'personal',
    holder,
    name,
    scopes,
    createdAt: clock.now(),
    secondFactor,
  })
  return { tokenId, token }
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** Rejecting bytes above the last whole multiple keeps the distribution uniform. */
export const randomCharacters = (count: number): string => {
  let text = ''
  while (text.length < count) {
    for (const byte of randomBytes(count)) if (byte < 248 && text.length < count) text += alphabet[byte % 62]
  }
  return text
}
