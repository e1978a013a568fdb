import { createCipheriv, createECDH, hkdfSync, randomBytes, type ECDH } from 'node:crypto'

/** As browsers hand them out, decoded. */
export interface ReceiverKeys {
  /** A point of P-256, uncompressed. */
  p256dh: Buffer
  auth: Buffer
}

/** Chosen anew for every message; tests choose those of the standard. */
export interface Chance {
  salt: Buffer
  sender: ECDH
}

const recordSize = 4096
const lastRecord = Buffer.of(2)

/** True for what a message can be encrypted for. */
export const areKeys = ({ p256dh, auth }: ReceiverKeys): boolean => {
  if (auth.length !== 16 || p256dh.length !== 65 || p256dh[0] !== 4) return false
  try {
    newSender().computeSecret(p256dh)
    return true
  } catch {
    return false // no point of the curve
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
