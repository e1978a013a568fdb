import { Problem } from '@offhook/contract/problem.ts'
import { getCountryCallingCode, isSupportedCountry } from 'libphonenumber-js/max'
import type { TypedSearch } from '#core/kernel/ports/store/account.ts'
import { folded } from './names.ts'

/** Separators in written phone numbers. */
const decoration = /[\s+()/.-]/g

/** Minimum word length of the full-text indexes. */
const minWordLength = 3

/** Parses a search input: a part of a number or name, or words of a note, message or voicemail. */
export const readSearch = (written: string, country: string): TypedSearch => {
  const text = written.trim()
  const digits = text.replaceAll(decoration, '')
  const isNumber = /^\d+$/.test(digits)
  if (isNumber ? digits.length < 2 : !/[\p{L}\p{N}]/u.test(text)) throw Problem.field('search', 'needs a letter or two digits')
  return {
    digits: isNumber ? numberParts(digits, text.startsWith('+'), country) : [],
    names: isNumber ? [] : [...new Set([folded(text), text.toLowerCase()])],
    ...(text.length >= minWordLength && { text }),
  }
}

/** The stored form of numbers: with country code, without leading zeros. */
const numberParts = (digits: string, international: boolean, country: string): string[] => {
  if (international) return [digits]
  if (/^00\d\d/.test(digits)) return [digits.slice(2)]
  const home = country.toUpperCase()
  if (!/^0[1-9]/.test(digits) || !isSupportedCountry(home)) return [digits]
  return [digits, `${getCountryCallingCode(home)}${digits.slice(1)}`]
}
