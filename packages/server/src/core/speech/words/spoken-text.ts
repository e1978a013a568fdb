import { expandAbbreviations } from './abbreviations.ts'
import { sayDatesIn } from './dates-in-text.ts'
import { sayAddressesIn, sayCapitalsIn } from './letters-in-text.ts'
import { withoutMarkup } from './markup.ts'
import { sayCertainPhoneNumbersIn, sayLocalPhoneNumbersIn, sayMoneyIn, sayNumbersIn, sayRangesIn } from './numbers-in-text.ts'
import type { SpokenSymbol, Wording } from './wording.ts'
import { wordingOf } from './wordings.ts'

/**
 * What a voice is given: text without markup in which numbers, dates, amounts and the like are words.
 * Languages that we have no words for keep their numbers.
 */
export const spokenText = (text: string, language: string): string => {
  const plain = withoutMarkup(text)
  const wording = wordingOf(language)
  if (!wording) return tidied(plain)
  return tidied(steps.reduce((rest, step) => step(rest, wording, language), plain))
}

const symbol = /[&@=§°]|#(?=\s?\p{L})|\+/gu

const saySymbolsIn = (text: string, wording: Wording): string =>
  text.replace(symbol, (mark) => ` ${wording.symbols[mark as SpokenSymbol]} `).replace(/[_<>|\\{}^~#]|(?<=\p{L})\/(?=\p{L})/gu, ' ')

/** What is surer, or has more digits in it, comes first. */
const steps: readonly ((text: string, wording: Wording, language: string) => string)[] = [
  sayAddressesIn,
  sayCertainPhoneNumbersIn,
  sayRangesIn,
  sayDatesIn,
  sayMoneyIn,
  sayLocalPhoneNumbersIn,
  expandAbbreviations,
  sayCapitalsIn,
  sayNumbersIn,
  saySymbolsIn,
]

const tidied = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .replace(/ (?=[,.;:!?])/g, '')
    .trim()
