import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { SmsLine } from '#core/kernel/ports/store/line.ts'

/** Sender numbers of an SMS extension, default first: verified numbers, and mobile numbers of its owner. */
export const sendersOf = async (tables: Tables, accountId: string, { id, owner, callerId }: SmsLine): Promise<string[]> => {
  const verified = (await tables.smsLines.callerIds(accountId, id)).filter((one) => one.verified).map(({ phoneNumber }) => phoneNumber)
  const numbers = await tables.numbers.listByUser(accountId, owner)
  const mobiles = numbers.flatMap(({ type, state, e164 }) => (type === 'MOBILE' && state === 'ACTIVE' && e164 !== undefined ? [e164] : []))
  return [...new Set([...(callerId === undefined ? [] : [callerId]), ...mobiles, ...verified])]
}
