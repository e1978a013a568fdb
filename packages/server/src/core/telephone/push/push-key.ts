import { createPrivateKey, createPublicKey, generateKeyPair, sign, type JsonWebKey, type KeyObject, randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
import type { Clock, Vault } from '#core/kernel/ports/platform.ts'
import type { Store, Tables } from '#core/kernel/ports/store/index.ts'
import { Problem } from '@offhook/contract/problem.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import type { PushSecret } from '#core/kernel/ports/store/push.ts'
import { maxSecrets, secretOverlapMs, newWebhookSecret } from '#core/kernel/webhook/standard-webhooks.ts'
import { auditByUser } from '#core/kernel/audit/audit.ts'

/** Fixed key id, so that processes that start together agree on one key. */
const kid = 'push-1'

interface PushKeyDeps {
  store: Store
  clock: Clock
  vault: Vault
  /** Operator's key instead of a generated one: receivers may already know its public key. */
  own?: KeyObject | undefined
}

/** RSA key of the installation for webhook signatures. Generated on first use; receivers know its public key. */
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

/** Valid secrets, newest first. */
export const pushSecretsInForce = async (tables: Tables, accountId: string, now: number): Promise<PushSecret[]> =>
  (await tables.pushSecrets.list(accountId)).filter(({ expiresAt = Infinity }) => expiresAt > now)

/** Adds a secret and returns its text, which is shown only once. Older ones keep signing during the overlap. */
export const addPushSecret = async (
  tables: Tables,
  { clock, vault }: { clock: Clock; vault: Vault },
  caller: UserCaller,
): Promise<{ kept: PushSecret; secret: string }> => {
  const { accountId } = caller
  const now = clock.now()
  const secret = newWebhookSecret()
  const kept = { id: randomUUID(), sealed: vault.seal(secret), createdAt: now, expiresAt: undefined }
  await tables.accounts.lock(accountId)
  await tables.pushSecrets.expireAll(accountId, now + secretOverlapMs)
  const older = await tables.pushSecrets.list(accountId)
  const spent = older.filter(({ expiresAt = Infinity }, place) => expiresAt <= now || place >= maxSecrets - 1)
  for (const { id } of spent) await tables.pushSecrets.remove(accountId, id)
  await tables.pushSecrets.insert(accountId, kept)
  await auditByUser(tables, clock, caller, 'push.secret.create', kept.id)
  return { kept, secret }
}

export const removePushSecret = async (tables: Tables, clock: Clock, caller: UserCaller, id: string): Promise<void> => {
  const known = (await pushSecretsInForce(tables, caller.accountId, clock.now())).some((secret) => secret.id === id)
  if (!known || !(await tables.pushSecrets.remove(caller.accountId, id))) throw new Problem('secret_not_found')
  await auditByUser(tables, clock, caller, 'push.secret.delete', id)
}
