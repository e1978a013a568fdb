import { Problem } from '@offhook/contract/problem.ts'
import type { Account } from '#core/kernel/ports/store/account/accounts.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { Service, TariffRate } from '#core/kernel/ports/store/money/tariffs.ts'
import { requireOpen } from './destinations.ts'
import { prefixes } from './rating.ts'

export type Payer = Pick<Account, 'id' | 'tariffId' | 'country'>

/** The rate under the longest prefix that holds now; undefined when the tariff has none, or the account no tariff. */
export const rateOf = async (
  tables: Tables,
  tariffId: string | undefined,
  service: Service,
  e164: string,
  at: number,
): Promise<TariffRate | undefined> => (tariffId === undefined ? undefined : tables.tariffs.findRate(tariffId, service, prefixes(e164), at))

/** The price of a destination. What has no price cannot be reached: a gap in the tariff must not be a gift. */
export const rateFor = async (
  tables: Tables,
  { tariffId, country }: Payer,
  service: Service,
  e164: string,
  { at, opened }: { at: number; opened: readonly string[] },
): Promise<TariffRate> => {
  const rate = await rateOf(tables, tariffId, service, e164, at)
  if (!rate || rate.blocked) throw new Problem('destination_blocked')
  requireOpen(e164, country, opened)
  return rate
}
