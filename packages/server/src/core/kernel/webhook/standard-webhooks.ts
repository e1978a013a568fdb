import { createHmac, createSecretKey, randomBytes, timingSafeEqual, type KeyObject } from 'node:crypto'

/** Signatures as in https://www.standardwebhooks.com, symmetric version v1. */

/** User agent of every request to a customer's software. */
export const userAgent = 'Offhook/1'

const SECRET_PREFIX = 'whsec_'
const NEW_SECRET_BYTES = 32
const SECRET_BYTES = { min: 24, most: 64 }

interface WebhookToSign {
  id: string
  timestampSeconds: number
  body: string
  /** During a rotation both secrets are given: the receiver accepts either. */
  secrets: string[]
}

export type WebhookHeaders = Record<string, string | string[] | undefined>

export function newWebhookSecret(): string {
  return SECRET_PREFIX + randomBytes(NEW_SECRET_BYTES).toString('base64')
}

export function signWebhook({ id, timestampSeconds, body, secrets }: WebhookToSign): Record<string, string> {
  // The signed text joins the id with dots; an id containing dots could make two different messages identical.
  if (!/^[\w-]+$/.test(id)) throw new Error('A webhook id consists of letters, digits, - and _')
  if (!Number.isSafeInteger(timestampSeconds)) throw new Error('A webhook timestamp is a whole number of seconds')
  if (secrets.length === 0) throw new Error('A webhook needs at least one secret to be signed with')
  const timestamp = String(timestampSeconds)
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((secret) => signature(secret, id, timestamp, body)).join(' '),
  }
}

/** True if one of the secrets signed exactly this body within the tolerance. */
export function verifyWebhook(
  headers: WebhookHeaders,
  body: string,
  secrets: string[],
  nowSeconds: number,
  toleranceSeconds: number = 300,
): boolean {
  const id = headerValue(headers, 'webhook-id')
  const timestamp = headerValue(headers, 'webhook-timestamp')
  const given = headerValue(headers, 'webhook-signature')
  if (!id || !timestamp || !given || !/^\d{1,12}$/.test(timestamp)) return false
  if (Math.abs(nowSeconds - Number(timestamp)) > toleranceSeconds) return false
  const expected = secrets.map((secret) => signature(secret, id, timestamp, body))
  return anyEqual(given.split(' '), expected)
}

function signature(secret: string, id: string, timestamp: string, body: string): string {
  return `v1,${createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.${body}`, 'utf8').digest('base64')}`
}

/** Cached: importing a secret takes longer than signing with it, and one secret signs many webhooks. */
const keys = new Map<string, KeyObject>()
const maxKeys = 1_000

function keyOf(secret: string): KeyObject {
  const known = keys.get(secret)
  if (known) return known
  const key = createSecretKey(secretKey(secret))
  const [oldest] = keys.keys()
  if (keys.size >= maxKeys && oldest !== undefined) keys.delete(oldest)
  keys.set(secret, key)
  return key
}

function secretKey(secret: string): Buffer {
  const encoded = secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret
  const key = Buffer.from(encoded, 'base64')
  const exact = key.toString('base64').replace(/=+$/, '') === encoded.replace(/=+$/, '')
  if (!exact || key.length < SECRET_BYTES.min || key.length > SECRET_BYTES.most) {
    throw new Error(`A webhook secret is ${SECRET_PREFIX} and ${SECRET_BYTES.min} to ${SECRET_BYTES.most} bytes in base64`)
  }
  return key
}

function headerValue(headers: WebhookHeaders, name: string): string | undefined {
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  return typeof found === 'string' ? found : undefined
}

/** Compares all pairs, so that the timing reveals nothing about partial matches. */
function anyEqual(given: string[], expected: string[]): boolean {
  let equal = false
  for (const one of given.map((text) => Buffer.from(text))) {
    for (const other of expected.map((text) => Buffer.from(text))) {
      if (one.length === other.length && timingSafeEqual(one, other)) equal = true
    }
  }
  return equal
}

/** Overlap in which the old secret stays valid for receivers that do not know the new one yet. */
export const secretOverlapMs = 24 * 60 * 60 * 1000

/** Maximum concurrent signing secrets. */
export const maxSecrets = 5
