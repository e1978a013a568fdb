import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'

const dayMs = 86_400_000
const validDays = 3650
/** A clock may be slow. */
const earlierDays = 2

/**
 * Certificate for a server whose clients know this very certificate, such as over the sealed bus. It names nobody, so clients must not check
 * the name. Made anew by each process, so that its key is never on a disk. X.509 v3 (RFC 5280), ECDSA with P-256.
 */
export const selfMadeCertificate = (now: number): { cert: string; key: string } => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const name = sequence(set(sequence(oid('550403'), utf8String('offhook'))))
  const algorithm = sequence(oid('2a8648ce3d040302')) // ecdsa-with-SHA256
  const body = sequence(
    tagged(0xa0, integer(Buffer.of(2))),
    integer(Buffer.concat([Buffer.of(1), randomBytes(15)])),
    algorithm,
    name,
    sequence(time(now - earlierDays * dayMs), time(now + validDays * dayMs)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    // basicConstraints, critical: it is its own authority.
    tagged(0xa3, sequence(sequence(oid('551d13'), tagged(0x01, Buffer.of(0xff)), tagged(0x04, sequence(tagged(0x01, Buffer.of(0xff))))))),
  )
  const signature = Buffer.concat([Buffer.of(0), sign('sha256', body, privateKey)])
  const der = sequence(body, algorithm, tagged(0x03, signature))
  return { cert: pem(der), key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() }
}

/** DER (X.690): tag, length, content. */
const tagged = (tag: number, ...contents: Uint8Array[]): Buffer => {
  const content = Buffer.concat(contents)
  const { length } = content
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

const sequence = (...contents: Uint8Array[]): Buffer => tagged(0x30, ...contents)
const set = (...contents: Uint8Array[]): Buffer => tagged(0x31, ...contents)
const integer = (bytes: Uint8Array): Buffer => tagged(0x02, bytes)
const oid = (hex: string): Buffer => tagged(0x06, Buffer.from(hex, 'hex'))
const utf8String = (text: string): Buffer => tagged(0x0c, Buffer.from(text))

/** UTCTime, until 2049. */
const time = (ms: number): Buffer => tagged(0x17, Buffer.from(`${new Date(ms).toISOString().replace(/[-:T]/g, '').slice(2, 14)}Z`))

const pem = (der: Buffer): string =>
  `-----BEGIN CERTIFICATE-----\n${(der.toString('base64').match(/.{1,64}/g) ?? []).join('\n')}\n-----END CERTIFICATE-----\n`
