import { createPrivateKey, generateKeyPairSync, sign, type JsonWebKey, type KeyObject } from 'node:crypto'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import type { Vault } from '#core/kernel/ports/vault.ts'

/** Processes that start together agree on one key by its name. */
const kid = 'web-push-1'
const validSeconds = 12 * 3600

export interface SenderKeyDeps {
  store: Store
  clock: Clock
  vault: Vault
}

/** The installation's key for messages to browsers (RFC 8292). Made when it is first needed; browsers that subscribed know its public half. */
export class SenderKey {
  readonly #deps: SenderKeyDeps
  #loaded: Promise<KeyObject> | undefined

  constructor(deps: SenderKeyDeps) {
    this.#deps = deps
  }

  /** An uncompressed point, base64url. */
  async publicKey(): Promise<string> {
    const { x = '', y = '' } = (await this.#key()).export({ format: 'jwk' })
    return Buffer.concat([Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]).toString('base64url')
  }

  /** The value of Authorization for this endpoint. `subject`: where its service finds us if something is wrong. */
  async authorization(endpoint: string, subject: string): Promise<string> {
    const claims = { aud: new URL(endpoint).origin, exp: Math.floor(this.#deps.clock.now() / 1000) + validSeconds, sub: subject }
    const unsigned = [{ typ: 'JWT', alg: 'ES256' }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
    const signature = sign('sha256', Buffer.from(unsigned), { key: await this.#key(), dsaEncoding: 'ieee-p1363' }).toString('base64url')
    return `vapid t=${unsigned}.${signature}, k=${await this.publicKey()}`
  }

  #key(): Promise<KeyObject> {
    this.#loaded ??= provideKey(this.#deps).catch((error: unknown) => {
      this.#loaded = undefined
      throw error
    })
    return this.#loaded
  }
}

const provideKey = async (deps: SenderKeyDeps): Promise<KeyObject> => {
  const known = await findKey(deps)
  if (known) return known
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const jwkSealed = deps.vault.seal(JSON.stringify(privateKey.export({ format: 'jwk' })))
  await deps.store.write(({ signingKeys }) => signingKeys.insert({ kid, jwkSealed, createdAt: deps.clock.now() }))
  const kept = await findKey(deps)
  if (!kept) throw new Error('the key that was just written is not there')
  return kept
}

const findKey = async ({ store, vault }: SenderKeyDeps): Promise<KeyObject | undefined> => {
  const sealed = (await store.read.signingKeys.list()).find((key) => key.kid === kid)?.jwkSealed
  return sealed === undefined ? undefined : createPrivateKey({ key: JSON.parse(vault.open(sealed)) as JsonWebKey, format: 'jwk' })
}
