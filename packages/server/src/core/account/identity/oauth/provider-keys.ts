import { generateKeyPair, randomBytes, type JsonWebKey } from 'node:crypto'
import { promisify } from 'node:util'
import type { Clock, Vault } from '#core/kernel/ports/platform.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'

interface KeyDeps {
  store: Store
  clock: Clock
  vault: Vault
}

export interface ProviderKeys {
  /** Newest first: the first signs, the others still verify. */
  signing: JsonWebKey[]
  /** Cookie keys, newest first, as above. */
  cookies: string[]
}

/** Created on first use. The kid counts generations, so that nodes that start together agree on one key. */
const first = { signing: 'sig-1', cookies: 'cookie-1' }
/** The same table holds keys for other purposes. */
const ownKid = /^(?:sig|cookie)-/

export const provideKeys = async (deps: KeyDeps): Promise<ProviderKeys> => {
  const known = await loadKeys(deps)
  if (known.signing.length > 0 && known.cookies.length > 0) return known
  const made = [
    { kid: first.signing, jwk: await newSigningKey(first.signing) },
    { kid: first.cookies, jwk: { kty: 'oct', k: randomBytes(32).toString('base64url') } },
  ]
  await deps.store.write(async (tables) => {
    for (const { kid, jwk } of made)
      await tables.signingKeys.insert({ kid, jwkSealed: deps.vault.seal(JSON.stringify(jwk)), createdAt: deps.clock.now() })
  })
  return loadKeys(deps)
}

const loadKeys = async ({ store, vault }: KeyDeps): Promise<ProviderKeys> => {
  const own = (await store.read.signingKeys.list()).filter(({ kid }) => ownKid.test(kid))
  const keys = own.map(({ jwkSealed }) => JSON.parse(vault.open(jwkSealed)) as JsonWebKey)
  return { signing: keys.filter(({ kty }) => kty === 'RSA'), cookies: keys.flatMap(({ kty, k }) => (kty === 'oct' && k ? [k] : [])) }
}

const newSigningKey = async (kid: string): Promise<JsonWebKey> => {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 })
  return { ...privateKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'RS256' }
}
