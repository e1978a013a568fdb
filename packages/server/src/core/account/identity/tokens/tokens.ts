import { hash, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto'
import type { Scope } from '@offhook/contract/scopes.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { NewToken, TokenKind } from '#core/kernel/ports/store/identity/tokens.ts'

/** Seconds. Access tokens are short because they travel; refresh tokens renew them for a month. */
export const lifetimes = { access: 300, refresh: 2_592_000, session: 2_592_000, operator: 43_200, unfinished: 1_800 } as const

export const hashSecret = (secret: string): string => hash('sha256', secret, 'base64url')

/** Takes the same time for every wrong one. */
export const isSecretOf = (storedHash: string, secret: string): boolean => {
  const [stored, given] = [Buffer.from(storedHash), Buffer.from(hashSecret(secret))]
  return stored.length === given.length && timingSafeEqual(stored, given)
}

/** How an operator is called in tokens. */
export const operatorSubject = (id: string): string => `operator:${id}`

export interface Issue {
  kind: Exclude<TokenKind, 'personal'>
  holder: NewToken['holder']
  /** How the holder is called in the token's readable part. */
  subject: string
  scopes: readonly Scope[]
  clientId?: string
  grantId?: string
  name?: string
  /** Seconds; none means it stays until it is revoked. */
  lifetime?: number
  program?: string
  place?: string
}

/** Makes a bearer token and keeps its hash; the token itself is known only to who asked for it. */
export const issueToken = async (tables: Tables, clock: Clock, issue: Issue): Promise<string> => {
  const createdAt = clock.now()
  const id = randomUUID()
  const bearer = bearerText(issue, id, createdAt)
  const { kind, holder, scopes, clientId, grantId, name, lifetime, program, place } = issue
  await tables.tokens.insert({
    id,
    hash: hashSecret(bearer),
    kind,
    holder,
    scopes,
    createdAt,
    program,
    place,
    ...(clientId !== undefined && { clientId }),
    ...(grantId !== undefined && { grantId }),
    ...(name !== undefined && { name }),
    ...(lifetime !== undefined && { expiresAt: createdAt + lifetime * 1000 }),
  })
  return bearer
}

/**
 * Clients look into bearer tokens and expect a JWT, so it reads like one. For us it is opaque: its third part is random, not a
 * signature, and a token is valid because its hash is in the store, which is what lets it be revoked at once.
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

/** `token-` and six characters, with a UUID as its secret: what Basic credentials of existing clients look like. */
export const issuePersonalToken = async (
  tables: Tables,
  clock: Clock,
  { holder, name, scopes }: { holder: { accountId: string; userId: string }; name: string; scopes: readonly Scope[] },
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
  })
  return { tokenId, token }
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** Rejecting bytes above the last whole multiple keeps every character equally likely. */
export const randomCharacters = (count: number): string => {
  let text = ''
  while (text.length < count) {
    for (const byte of randomBytes(count)) if (byte < 248 && text.length < count) text += alphabet[byte % 62]
  }
  return text
}
