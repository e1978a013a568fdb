import { Problem } from '@offhook/contract/problem.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'

/** A tariff must exist and be in the account's currency: amounts are never converted. */
export const requireTariff = async (tables: Tables, tariffId: string, currency: string): Promise<void> => {
  const tariff = await tables.tariffs.find(tariffId)
  if (!tariff) throw Problem.field('tariffId', 'is not the id of a tariff')
  if (tariff.currency !== currency) throw Problem.field('tariffId', `is a tariff in ${tariff.currency}, but the account is in ${currency}`)
}
