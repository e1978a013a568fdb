import { createPrivateKey, createPublicKey, generateKeyPair, sign, type JsonWebKey, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import type { Vault } from '#core/kernel/ports/vault.ts'

/** Processes that start together agree on one key by its name. */
const kid = 'push-1'

export interface PushKeyParts {
  store: Store
  clock: Clock
  vault: Vault
  /** Instead of one that is made here: receivers may know its public half already. */
  own?: KeyObject | undefined
}

/** The installation's RSA key for what it tells about calls. Made when it is first needed; receivers know its public half. */
export class PushKey {
  readonly #parts: PushKeyParts
  #loaded: Promise<KeyObject> | undefined

  constructor(parts: PushKeyParts) {
    this.#parts = parts
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
    if (this.#parts.own) return Promise.resolve(this.#parts.own)
    this.#loaded ??= provideKey(this.#parts).catch((error: unknown) => {
      this.#loaded = undefined
      throw error
    })
    return this.#loaded
  }
}

const provideKey = async (parts: PushKeyParts): Promise<KeyObject> => (await findKey(parts)) ?? (await makeKey(parts))

const findKey = async ({ store, vault }: PushKeyParts): Promise<KeyObject | undefined> => {
  const sealed = (await store.read.signingKeys.list()).find((key) => key.kid === kid)?.jwkSealed
  return sealed === undefined ? undefined : createPrivateKey({ key: JSON.parse(vault.open(sealed)) as JsonWebKey, format: 'jwk' })
}

const makeKey = async (parts: PushKeyParts): Promise<KeyObject> => {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 })
  const jwkSealed = parts.vault.seal(JSON.stringify(privateKey.export({ format: 'jwk' })))
  await parts.store.write(({ signingKeys }) => signingKeys.insert({ kid, jwkSealed, createdAt: parts.clock.now() }))
  const kept = await findKey(parts)
  if (!kept) throw new Error('the key that was just written is not there')
  return kept
}
