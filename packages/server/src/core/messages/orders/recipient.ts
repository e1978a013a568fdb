import { Problem } from '@offhook/contract/problem.ts'
import { parseNumber } from '#core/kernel/phone-numbers/phone-number.ts'
import type { Account } from '#core/kernel/ports/store/account.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import { outside, type Side } from '#core/telephone/orders/parties.ts'

/** Recipient of a fax or a message. */
export interface Recipient {
  e164: string
  side: Side
}

export const readRecipient = async (store: Store, account: Account, written: string): Promise<Recipient> => {
  const number = parseNumber(written, account.country)
  if (!number) throw Problem.field('recipient', 'is not a valid phone number', 'number_invalid')
  return { e164: number.e164, side: await outside(store.read, number) }
}
