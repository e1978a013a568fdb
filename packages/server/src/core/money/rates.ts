import { Problem } from '@offhook/contract/problem.ts'
import { shortNumberCost } from '#core/kernel/phone-numbers/short-numbers.ts'
import type { Account } from '#core/kernel/ports/store/account.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { Rate, Service } from '#core/kernel/ports/store/money.ts'
import { prefixes } from './rating.ts'
import { digits, kindOf } from '#core/kernel/phone-numbers/phone-number.ts'

export type Payer = Pick<Account, 'id' | 'tariffId' | 'country'>

/** Rate valid now for the longest prefix; undefined if the tariff has none, or the account has no tariff. */
export const rateOf = async (
  tables: Tables,
  { tariffId, country }: Pick<Payer, 'tariffId' | 'country'>,
  service: Service,
  number: string,
  at: number,
): Promise<Rate | undefined> => {
  const find = async (keys: readonly string[]): Promise<Rate | undefined> =>
    tariffId === undefined ? undefined : tables.tariffs.findRate(tariffId, service, keys, at)
  if (!isShort(number)) return find(prefixes(number))
  return service === 'CALL' ? shortNumberRate(find, number, country) : undefined
}

const free: Rate = { connectFee: 0, ratePerMinute: 0, minSeconds: 0, incrementSeconds: 60, perUnit: 0, blocked: false }

/**
 * Short numbers have separate rates: `DE:115` for one, `DE:11` for a prefix. A rate for the whole country (`DE:`) applies only to those
 * listed as standard rate in the metadata: the cost of the others is unknown. Toll-free numbers, such as 116117, need none.
 */
const shortNumberRate = async (
  find: (keys: readonly string[]) => Promise<Rate | undefined>,
  digits: string,
  country: string,
): Promise<Rate | undefined> => {
  const beginnings = Array.from({ length: digits.length }, (_, shorter) => digits.slice(0, digits.length - shorter))
  const named = await find(beginnings.map((beginning) => shortNumberKey(beginning, country)))
  if (named) return named
  const cost = shortNumberCost(digits, country)
  if (cost === 'TOLL_FREE') return free
  return cost === 'STANDARD' ? find([shortNumberKey('', country)]) : undefined
}

/** Price of a destination. Destinations without a price are blocked: a gap in the tariff must not make calls free. */
export const rateFor = async (
  tables: Tables,
  payer: Payer,
  service: Service,
  number: string,
  { at, opened }: { at: number; opened: readonly string[] },
): Promise<Rate> => {
  const rate = await rateOf(tables, payer, service, number, at)
  if (!rate || rate.blocked) throw new Problem('destination_blocked')
  requireOpen(number, payer.country, opened)
  return rate
}

// European Union with its single market, and countries whose numbers earn their owners no share of calls.
export const defaultCountries: ReadonlySet<string> = new Set(
  'AT BE BG HR CY CZ DK EE FI AX FR DE GR HU IE IT LV LT LU MT NL PL PT RO SK SI ES SE IS LI NO CH GB US CA AU NZ JP'.split(' '),
)

/**
 * Whether a number may be called at all, at any price: stolen phones call numbers that pay their owner for every minute. Open are the
 * account's own country, the default countries with their ordinary numbers, freephone worldwide, and what the operator has opened.
 */
export const isOpen = (number: string, home: string, opened: readonly string[]): boolean =>
  isShort(number) || isE164Open(number, home, opened)

/** Destinations are E.164, or short numbers of the paying account's country. */
export const isShort = (number: string): boolean => /^\d{2,9}$/.test(number)

/** Whether an unknown short number may be called: an entry `DE:` opens all of a country, `DE:33` those with this prefix. */
export const isShortNumberOpen = (digits: string, country: string, { opened }: { opened: readonly string[] }): boolean =>
  opened.some((entry) => entry.includes(':') && shortNumberKey(digits, country).startsWith(entry))

/** Key of a short number in tariffs and limits: `DE:115`. */
const shortNumberKey = (digits: string, country: string): string => `${country.toUpperCase()}:${digits}`

const isE164Open = (e164: string, home: string, opened: readonly string[]): boolean => {
  if (opened.some((entry) => /^\d/.test(entry) && digits(e164).startsWith(entry))) return true
  const { country, isOrdinary, isFreephone } = kindOf(e164)
  if (country === undefined) return isFreephone
  if (country === home) return true
  return isOrdinary && (defaultCountries.has(country) || opened.includes(country))
}

const requireOpen = (e164: string, home: string, opened: readonly string[]): void => {
  if (!isOpen(e164, home, opened)) throw new Problem('destination_closed')
}
