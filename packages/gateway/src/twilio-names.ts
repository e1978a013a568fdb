import { createHmac, createHash } from 'node:crypto'
import type { Session } from '@offhook/contract/assistant/session.ts'

/** Ids and signatures as Twilio servers expect them. */

/** Two letters and 32 hexadecimal digits, deterministic per id. */
export const sid = (prefix: 'AC' | 'CA' | 'VX' | 'MZ', id: string): string => {
  const digits = id.replaceAll('-', '').toLowerCase()
  return prefix + (/^[0-9a-f]{32}$/.test(digits) ? digits : createHash('sha256').update(id).digest('hex').slice(0, 32))
}

/** Adds the plus sign that our interface omits. */
export const e164 = (number: string | undefined): string => (number !== undefined && /^\d+$/.test(number) ? `+${number}` : 'anonymous')

interface TwilioCall {
  accountSid: string
  callSid: string
  from: string
  to: string
  direction: 'inbound' | 'outbound-api'
}

export const twilioCall = (session: Session): TwilioCall => ({
  accountSid: sid('AC', session.account_id),
  callSid: sid('CA', session.id),
  from: e164(session.from_phone_number),
  to: e164(session.to_phone_number ?? session.phone_number),
  direction: session.direction === 'outbound' ? 'outbound-api' : 'inbound',
})

/** X-Twilio-Signature: HMAC-SHA1 over the address and the sorted fields of the form. The secret of the flow is the auth token. */
const twilioSignature = (secret: string, url: string, form: Readonly<Record<string, string>> = {}): string => {
  const fields = Object.keys(form)
    .toSorted()
    .map((name) => name + form[name])
  return createHmac('sha1', secret)
    .update(url + fields.join(''))
    .digest('base64')
}

/** Empty without a secret. */
export const signatureHeader = (
  secret: string | undefined,
  url: string,
  form: Readonly<Record<string, string>> = {},
): Record<string, string> => (secret === undefined ? {} : { 'x-twilio-signature': twilioSignature(secret, url, form) })
