import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import type { NewCredential, PasskeyAnswer, PasskeyQuestion } from '@offhook/contract/passkeys.ts'

const url64 = (bytes: Uint8Array | string): string => Buffer.from(bytes).toString('base64url')
const sha256 = (bytes: Uint8Array | string): Buffer => createHash('sha256').update(bytes).digest()

type Cbor = number | string | Uint8Array | Map<Cbor, Cbor>

/** Subset of RFC 8949 that an authenticator uses. */
const cbor = (value: Cbor): Buffer => {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value])
  return Buffer.concat([head(5, value.size), ...[...value].flatMap(([key, one]) => [cbor(key), cbor(one)])])
}

const head = (major: number, size: number): Buffer => {
  if (size < 24) return Buffer.from([(major << 5) | size])
  return size < 256 ? Buffer.from([(major << 5) | 24, size]) : Buffer.from([(major << 5) | 25, size >> 8, size & 255])
}

export interface PasskeyDevice {
  /** Creates a credential for one login. `format`: claimed attestation format. */
  make(options: { rp: { id: string }; challenge: string }, format?: string): NewCredential
  answer(question: PasskeyQuestion): PasskeyAnswer
  /** Signature counter; a cloned key would repeat it. */
  counter: number
}

/** Authenticator and its browser (WebAuthn §6, ES256) at a page of this origin. */
export const passkeyDevice = (origin: string): PasskeyDevice => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const id = randomBytes(32)
  const key = new Map<Cbor, Cbor>([[1, 2], [3, -7], [-1, 1], [-2, Buffer.from(x, 'base64url')], [-3, Buffer.from(y, 'base64url')]]) // prettier-ignore
  const clientData = (type: string, challenge: string): Buffer =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
  const data = (rpId: string, flags: number, counter: number): Buffer => {
    const count = Buffer.alloc(4)
    count.writeUInt32BE(counter)
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), count])
  }
  const device: PasskeyDevice = {
    counter: 0,
    make({ rp, challenge }, format = 'none') {
      const credential = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, cbor(key)])
      const authData = Buffer.concat([data(rp.id, 0x41, device.counter), credential])
      const attestation = new Map<Cbor, Cbor>([['fmt', format], ['attStmt', new Map()], ['authData', authData]]) // prettier-ignore
      const clientDataJSON = url64(clientData('webauthn.create', challenge))
      const response = { clientDataJSON, attestationObject: url64(cbor(attestation)), transports: ['usb'] }
      return { id: url64(id), rawId: url64(id), type: 'public-key', response }
    },
    answer({ rpId, challenge }) {
      const client = clientData('webauthn.get', challenge)
      const authenticatorData = data(rpId, 0x01, ++device.counter)
      const signature = sign('sha256', Buffer.concat([authenticatorData, sha256(client)]), privateKey)
      const response = { clientDataJSON: url64(client), authenticatorData: url64(authenticatorData), signature: url64(signature) }
      return { id: url64(id), rawId: url64(id), type: 'public-key', response }
    },
  }
  return device
}
