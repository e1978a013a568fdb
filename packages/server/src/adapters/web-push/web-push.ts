import {
  createCipheriv,
  createECDH,
  hkdfSync,
  randomBytes,
  type ECDH,
  createPrivateKey,
  generateKeyPairSync,
  sign,
  type JsonWebKey,
  type KeyObject,
} from 'node:crypto'
import type { PushAddress, PushMessage, PushMessages, OutboundHttp } from '#core/kernel/ports/outbound.ts'
import type { Clock, Vault } from '#core/kernel/ports/platform.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'

interface WebPushDeps extends SenderKeyDeps {
  outbound: OutboundHttp
  /** Our public URL. */
  publicUrl: () => string
  /** Allowed push services; default: those of the browser makers. */
  services?: RegExp
}

/** Services of Chrome and its relatives, Firefox, Edge and Safari. */
const makers =
  /^https:\/\/(fcm\.googleapis\.com|android\.googleapis\.com|([\w-]+\.)*push\.services\.mozilla\.com|[\w-]+\.notify\.windows\.com|([\w-]+\.)*push\.apple\.com)\//

const deadlineMs = 10_000
const maxBytes = 10_000

/** Web Push: RFC 8030, encrypted by RFC 8291, signed by RFC 8292. */
export const webPush = ({ outbound, publicUrl, services = makers, ...parts }: WebPushDeps): PushMessages => {
  const key = new SenderKey(parts)
  return {
    key: () => key.publicKey(),
    accepts: (address) => services.test(address.endpoint) && URL.canParse(address.endpoint) && areKeys(keysOf(address)),
    async send(address, message) {
      try {
        const authorization = await key.authorization(address.endpoint, subjectOf(publicUrl()))
        const reply = await outbound.request({
          method: 'POST',
          url: address.endpoint,
          headers: { ...headersOf(message), authorization },
          bytes: encrypt(message.text, keysOf(address)),
          deadlineMs,
          maxBytes,
        })
        if (reply.status === 404 || reply.status === 410) return 'gone'
        return reply.status < 300 ? 'sent' : 'failed'
      } catch {
        return 'failed'
      }
    },
  }
}

const headersOf = ({ seconds, topic }: PushMessage): Record<string, string> => ({
  'content-type': 'application/octet-stream',
  'content-encoding': 'aes128gcm',
  ttl: String(seconds),
  urgency: 'high',
  topic: topic.replaceAll('-', '').slice(0, 32), // RFC 8030: at most 32 characters
})

const keysOf = ({ p256dh, auth }: PushAddress): ReceiverKeys => ({
  p256dh: Buffer.from(p256dh, 'base64url'),
  auth: Buffer.from(auth, 'base64url'),
})

/** Services require a contact address of the sender that begins with https or mailto. */
const subjectOf = (publicUrl: string): string => publicUrl.replace(/^http:/, 'https:')

/** As provided by browsers, decoded. */
interface ReceiverKeys {
  /** A point of P-256, uncompressed. */
  p256dh: Buffer
  auth: Buffer
}

/** Random for every message; tests use those of the standard. */
interface Chance {
  salt: Buffer
  sender: ECDH
}

const recordSize = 4096
const lastRecord = Buffer.of(2)

/** Whether a message can be encrypted for these keys. */
const areKeys = ({ p256dh, auth }: ReceiverKeys): boolean => {
  if (auth.length !== 16 || p256dh.length !== 65 || p256dh[0] !== 4) return false
  try {
    newSender().computeSecret(p256dh)
    return true
  } catch {
    return false // not a point of the curve
  }
}

/** RFC 8291: one record of aes128gcm (RFC 8188) that only the browser can read. */
export const encrypt = (text: string, { p256dh, auth }: ReceiverKeys, { salt, sender }: Chance = chance()): Buffer => {
  const ours = sender.getPublicKey()
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), p256dh, ours])
  const secret = Buffer.from(hkdfSync('sha256', sender.computeSecret(p256dh), auth, info, 32))
  const derive = (purpose: string, length: number): Buffer =>
    Buffer.from(hkdfSync('sha256', secret, salt, `Content-Encoding: ${purpose}\0`, length))
  const cipher = createCipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12))
  const sealed = Buffer.concat([cipher.update(text), cipher.update(lastRecord), cipher.final(), cipher.getAuthTag()])
  const size = Buffer.alloc(4)
  size.writeUInt32BE(recordSize)
  return Buffer.concat([salt, size, Buffer.of(ours.length), ours, sealed])
}

const chance = (): Chance => ({ salt: randomBytes(16), sender: newSender() })

const newSender = (): ECDH => {
  const sender = createECDH('prime256v1')
  sender.generateKeys()
  return sender
}

/** Processes that start together agree on one key by its name. */
const kid = 'web-push-1'
const validSeconds = 12 * 3600

interface SenderKeyDeps {
  store: Store
  clock: Clock
  vault: Vault
}

/** The installation's key for messages to browsers (RFC 8292). Created on first use; subscribed browsers know its public half. */
class SenderKey {
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

  /** Authorization value for this endpoint. `subject`: our contact address for the push service. */
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
