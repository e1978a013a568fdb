import { createPrivateKey, createPublicKey, generateKeyPair, sign, type JsonWebKey, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import type { Vault } from '#core/kernel/ports/vault.ts'

/** Processes that start together agree on one key by its name. */
const kid = 'push-1'

export interface PushKeyDeps {
  store: Store
  clock: Clock
  vault: Vault
  /** Instead of one that is made here: receivers may know its public half already. */
  own?: KeyObject | undefined
}

/** The installation's RSA key for what it tells about calls. Made when it is first needed; receivers know its public half. */
export class PushKey {
  readonly #deps: PushKeyDeps
  #loaded: Promise<KeyObject> | undefined

  constructor(deps: PushKeyDeps) {
    this.#deps = deps
  }

  /** RSA-SHA256 (PKCS #1 v1.5) over these bytes, in base64. */
  async sign(body: string): Promise<string> {
    const key = await this.#key()
    return (await promisify<string, Buffer, KeyObject, Buffer>(sign)('sha256', Buffer.from(body), key)).toString('base64')
  }

  /** PEM (SubjectPublicKeyInfo). */
  async publicKey(): Promise<string> {
    return createPublicKey(await this.#key())
      .export({ type: 'spki', format: 'pem' })
      .toString()
  }

  #key(): Promise<KeyObject> {
    if (this.#deps.own) return Promise.resolve(this.#deps.own)
    this.#loaded ??= provideKey(this.#deps).catch((error: unknown) => {
      this.#loaded = undefined
      throw error
    })
    return this.#loaded
  }
}

const provideKey = async (deps: PushKeyDeps): Promise<KeyObject> => (await findKey(deps)) ?? (await makeKey(deps))

const findKey = async ({ store, vault }: PushKeyDeps): Promise<KeyObject | undefined> => {
  const sealed = (await store.read.signingKeys.list()).find((key) => key.kid === kid)?.jwkSealed
  return sealed === undefined ? undefined : createPrivateKey({ key: JSON.parse(vault.open(sealed)) as JsonWebKey, format: 'jwk' })
}

const makeKey = async (deps: PushKeyDeps): Promise<KeyObject> => {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 })
  const jwkSealed = deps.vault.seal(JSON.stringify(privateKey.export({ format: 'jwk' })))
  await deps.store.write(({ signingKeys }) => signingKeys.insert({ kid, jwkSealed, createdAt: deps.clock.now() }))
  const kept = await findKey(deps)
  if (!kept) throw new Error('the key that was just written is not there')
  return kept
}
