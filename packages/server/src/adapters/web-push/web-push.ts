import type { PushAddress, PushMessage, PushMessages } from '#core/kernel/ports/browser/push-messages.ts'
import type { OutboundHttp } from '#core/kernel/ports/outbound-http.ts'
import { areKeys, encrypt, type ReceiverKeys } from './encrypt.ts'
import { SenderKey, type SenderKeyDeps } from './sender-key.ts'

export interface WebPushDeps extends SenderKeyDeps {
  outbound: OutboundHttp
  /** How the world reaches us. */
  publicUrl: () => string
  /** Where browsers may be written to; the services of their makers unless given. */
  services?: RegExp
}

/** Of Chrome and its relatives, Firefox, Edge and Safari. */
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

/** Services want an address of the sender that begins with https or mailto. */
const subjectOf = (publicUrl: string): string => publicUrl.replace(/^http:/, 'https:')
