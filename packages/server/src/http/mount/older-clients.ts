import type { operations } from '@offhook/contract/api/operations.ts'

type Body = Record<string, unknown>
type ByOperation<T> = Partial<Record<keyof typeof operations, T>>

/** Fields that programs for older versions of the interface name otherwise: their name, then today's. */
const renamed: ByOperation<Record<string, string>> = {
  createGreeting: { filename: 'alias' },
  createPhonelineGreeting: { filename: 'alias' },
  verifySmsCallerId: { verificationCode: 'code' },
}

/** Fields that these programs leave out. */
const assumed: ByOperation<Body> = {
  createPhoneline: { alias: 'Phone line' },
  createUserDevice: { alias: 'Phone' },
}

/** Flags that they send as text. */
const flags: ByOperation<readonly string[]> = { changeSmsCallerId: ['defaultNumber'] }

/** The body as the operation expects it. Today's fields win over older ones. */
export const todaysBody = (operation: string, body: unknown): unknown => {
  const id = operation as keyof typeof operations
  const names = renamed[id]
  const defaults = assumed[id]
  const texts = flags[id]
  if (!names && !defaults && !texts) return body
  if (body === undefined) return defaults
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
  const fields = Object.entries(body).map(([name, value]): [string, unknown] => {
    const today = names && Object.hasOwn(names, name) ? names[name] : undefined
    return [today === undefined || today in body ? name : today, texts?.includes(name) ? asFlag(value) : value]
  })
  return { ...defaults, ...Object.fromEntries(fields) }
}

const asFlag = (value: unknown): unknown => (value === 'true' ? true : value === 'false' ? false : value)

/** Areas that older clients address under /v2, where they were once; today's are only under /v1. Contacts have another shape there. */
const areas =
  'account|addresses|app|authorization|balance|contacts/(?:internal|import|import/csv|export|duplicates|merge)|devices|groupfaxlines|groups|numbers|passwordreset|portings|restrictions|sessions|settings|translations|users|voicemails'
const userAreas = 'devices|faxlines|notifications|numbers|phonelines|sms'

const olderAddresses: readonly [RegExp, string][] = [
  [new RegExp(`^/v2/(?=(?:${areas}|w\\d{1,9}/(?:${userAreas}))(?:[/?]|$))`), '/v1/'],
  [/^\/v1\/(settings|w\d{1,9}\/phonelines\/p\d{1,9})\/sipgateio(?=[/?]|$)/, '/v1/$1/svcio'],
  [/^\/v2\/history\/export(?=[/?]|$)/, '/v2/history/csv'],
]

export const todaysAddress = (url: string): string => olderAddresses.reduce((address, [older, today]) => address.replace(older, today), url)
