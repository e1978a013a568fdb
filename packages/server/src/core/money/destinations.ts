import { Problem } from '@offhook/contract/problem.ts'
import { digits, kindOf } from '#core/kernel/phone-numbers/phone-number.ts'

// The European Union and what belongs to its market, and countries whose numbers earn their owners nothing by being called.
export const defaultCountries: ReadonlySet<string> = new Set(
  'AT BE BG HR CY CZ DK EE FI AX FR DE GR HU IE IT LV LT LU MT NL PL PT RO SK SI ES SE IS LI NO CH GB US CA AU NZ JP'.split(' '),
)

/**
 * Whether a number may be called at all, whatever its price: numbers that pay their owner for every minute are what stolen phones call.
 * Open are the account's own country, the usual ones with their ordinary numbers, freephone of the whole world, and what the operator
 * has opened.
 */
export const isOpen = (e164: string, home: string, opened: readonly string[]): boolean => {
  if (opened.some((entry) => /^\d/.test(entry) && digits(e164).startsWith(entry))) return true
  const { country, isOrdinary, isFreephone } = kindOf(e164)
  if (country === undefined) return isFreephone
  if (country === home) return true
  return isOrdinary && (defaultCountries.has(country) || opened.includes(country))
}

export const requireOpen = (e164: string, home: string, opened: readonly string[]): void => {
  if (!isOpen(e164, home, opened)) throw new Problem('destination_closed')
}
