import { Problem } from '@offhook/contract/problem.ts'
import { shortNumberCountries } from '#core/kernel/phone-numbers/short-numbers.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { NewRate, Service, TariffRate, Rate } from '#core/kernel/ports/store/money.ts'

interface RateInput extends Partial<Rate> {
  service: Service
  prefix: string
  validFrom?: string
  validUntil?: string
}

const unpriced: Rate = { connectFee: 0, ratePerMinute: 0, minSeconds: 0, incrementSeconds: 60, perUnit: 0, blocked: false }

/** Defaults: prices are 0, pulses are minutes, and the rate is valid from now on. Past times cannot be repriced. */
export const readRate = ({ validFrom, validUntil, ...input }: RateInput, now: number): NewRate => {
  if (input.prefix.includes(':')) checkShortNumbers(input)
  const from = validFrom === undefined ? now : readTime('validFrom', validFrom)
  if (from < now) throw Problem.field('validFrom', 'lies in the past')
  const until = validUntil === undefined ? undefined : readTime('validUntil', validUntil)
  if (until !== undefined && until <= from) throw Problem.field('validUntil', 'must be later than validFrom')
  return { ...unpriced, ...input, validFrom: from, validUntil: until }
}

const checkShortNumbers = ({ service, prefix }: RateInput): void => {
  if (service !== 'CALL') throw Problem.field('prefix', 'names short numbers, which can only be called')
  if (!shortNumberCountries.includes(prefix.slice(0, 2))) throw Problem.field('prefix', 'is not the code of a country with short numbers')
}

const momentWithZone = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/

const readTime = (field: string, written: string): number => {
  const at = momentWithZone.test(written) ? Date.parse(written) : Number.NaN
  if (Number.isNaN(at)) throw Problem.field(field, 'must be a time in ISO 8601 with its time zone, such as 2030-01-31T00:00:00Z')
  return at
}

/**
 * Inserts a rate for its period. An existing rate of the same prefix is interrupted for that period: it ends where the new one begins,
 * and continues where that ends. Rates of the past stay unchanged, so that every old bill can be explained.
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

/** Cancels a rate that has not begun yet; leaves one that has ended unchanged. */
export const closeRate = async (tables: Tables, clock: Clock, tariffId: string, rateId: string): Promise<void> => {
  const rate = /^\d{1,15}$/.test(rateId) ? await tables.tariffs.findRateById(tariffId, Number(rateId)) : undefined
  if (!rate) throw new Problem('rate_not_found')
  const now = clock.now()
  if (rate.validUntil === undefined || rate.validUntil > now) await tables.tariffs.endRate(tariffId, rate.id, Math.max(now, rate.validFrom))
}

const withoutId = ({ id: _id, ...rate }: TariffRate): NewRate => rate
