import type { Tables } from '../ports/store/index.ts'
import type { NewRate, TariffRate } from '../ports/store/tariffs.ts'

/**
 * Puts a rate into the tariff for its time. What held for the same prefix gives way just then: it ends where the new one begins, and
 * goes on where that ends. Rates that held in the past stay as they were, so that every old bill can be explained.
 */
export const setRate = async (tables: Tables, tariffId: string, rate: NewRate): Promise<number> => {
  const { service, prefix, validFrom, validUntil } = rate
  for (const old of await tables.tariffs.ratesOf(tariffId, service, prefix, validFrom)) {
    if (validUntil !== undefined && old.validFrom >= validUntil) continue
    await tables.tariffs.endRate(tariffId, old.id, Math.max(old.validFrom, validFrom))
    if (validUntil !== undefined && (old.validUntil === undefined || old.validUntil > validUntil))
      await tables.tariffs.insertRate(tariffId, { ...withoutId(old), validFrom: validUntil })
  }
  return tables.tariffs.insertRate(tariffId, rate)
}

const withoutId = ({ id: _id, ...rate }: TariffRate): NewRate => rate
