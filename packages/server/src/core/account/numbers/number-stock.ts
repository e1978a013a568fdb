import { Problem } from '@offhook/contract/problem.ts'
import { auditByUser } from '#core/kernel/audit/audit.ts'
import { takeOnce } from '#core/money/charge.ts'
import { areaCodeOf, germanGeographic, parseNumber } from '#core/kernel/phone-numbers/phone-number.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { AccountNumber, StockNumber } from '#core/kernel/ports/store/number.ts'
import type { UserCaller } from '../identity/caller/caller.ts'
import { assignNumber, releaseNumber } from './assign-number.ts'
import { routeNumber } from './change-number.ts'

export interface Refused {
  number: string
  reason: 'invalid' | 'in_use' | 'in_stock'
}

/** Adds a number to the stock, or returns the reason for a rejection. `home` is the country of the installation. */
export const addToStock = async (
  tables: Tables,
  clock: Clock,
  home: string,
  { id, written, price }: { id: string; written: string; price: number },
): Promise<Refused['reason'] | undefined> => {
  const parsed = parseNumber(written, home)
  if (!parsed || parsed.premium) return 'invalid'
  const { e164, country = '' } = parsed
  if (await isUsed(tables, e164)) return 'in_use'
  const added = await tables.numberStock.add({ id, e164, country, area: areaCodeOf(e164) ?? '', price }, clock.now())
  return added ? undefined : 'in_stock'
}

/** In service here, or at another carrier. */
const isUsed = async (tables: Tables, e164: string): Promise<boolean> =>
  (await tables.numbers.findCallable(e164)) !== undefined || (await tables.portings.isLeaving(e164))

/** Whether the law requires an address in the number's area. */
export const needsAddress = ({ e164 }: Pick<StockNumber, 'e164'>): boolean => germanGeographic(e164) !== undefined

interface NumberOrder {
  /** Id of the account's new number. */
  id: string
  stockId: string
  addressId?: string
  endpointId?: string
}

/** Assigns a number from stock to the account, charges for it and, if requested, routes it immediately. */
export const orderNumber = async (tables: Tables, clock: Clock, caller: UserCaller, order: NumberOrder): Promise<AccountNumber> => {
  const { accountId } = caller
  const { id, stockId, addressId, endpointId } = order
  await tables.accounts.lock(accountId)
  const wanted = await tables.numberStock.lock(stockId)
  if (!wanted || wanted.numberId !== undefined || wanted.freeFrom > clock.now()) throw new Problem('number_gone')
  const input = { accountId, number: wanted.e164, ...(addressId !== undefined && { addressId }) }
  const number = await assignNumber(tables, clock, id, input)
  await tables.numberStock.give(stockId, id)
  if (wanted.price > 0) await takeOnce(tables, clock, { accountId, cost: wanted.price, sessionId: id, reason: 'Number order' })
  if (endpointId !== undefined && endpointId !== '') await routeNumber(tables, number, endpointId)
  await auditByUser(tables, clock, caller, 'number.order', id, { price: wanted.price })
  return (await tables.numbers.find(accountId, id)) ?? number
}

/** Returns a number that is no longer needed. Charges are not refunded. */
export const returnNumber = async (tables: Tables, clock: Clock, caller: UserCaller, id: string): Promise<void> => {
  await tables.accounts.lock(caller.accountId)
  const number = await tables.numbers.lock(caller.accountId, id)
  if (!number || number.type === 'QUICKDIAL') throw new Problem('number_not_found')
  if (!(await tables.numberStock.isOrdered(id))) throw new Problem('number_not_returnable')
  await releaseNumber(tables, clock, number)
  await auditByUser(tables, clock, caller, 'number.return', id)
}
