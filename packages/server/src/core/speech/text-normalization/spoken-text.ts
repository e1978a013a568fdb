import { expandAbbreviations, writeOutShortForms } from './abbreviations.ts'
import { sayAddressesIn } from './addresses-in-text.ts'
import { joinThousands } from './amounts.ts'
import { sayCapitalsIn } from './capitals-in-text.ts'
import { sayCodesIn, sayNumberGroupsIn, sayVersionsIn } from './codes-in-text.ts'
import { sayDatesIn } from './dates-in-text.ts'
import { sayFractionsIn } from './fractions-in-text.ts'
import { sayGermanCompoundsIn } from './german-dates.ts'
import { mainLanguage } from './main-language.ts'
import { withoutMarkup } from './markup.ts'
import { sayMoneyIn, sayMoneyRangesIn } from './money-in-text.ts'
import { sayNumbersIn, sayRangesIn, saySignsIn, sayUnitsIn } from './numbers-in-text.ts'
import { sayCertainPhonesIn, sayLocalPhonesIn } from './phones-in-text.ts'
import { reworded } from './rewording/reworded.ts'
import { sayRomanNumeralsIn } from './roman-in-text.ts'
import { sayCalculationsIn, saySymbolsIn } from './symbols-in-text.ts'
import { sayWeekdaysIn } from './weekdays-in-text.ts'
import type { Wording } from './wording.ts'
import { wordingOf } from './wordings.ts'

/** Makes words of what it knows, and leaves the rest to those after it. */
type Reader = (text: string, wording: Wording, language: string) => string

/**
 * What a voice is given: text without markup in which numbers, dates, amounts and the like are words.
 * French, Spanish and Italian keep their numbers and get words for the rest; other languages stay as they are.
 */
export const spokenText = (text: string, language: string): string => {
  const plain = withoutMarkup(text)
  const wording = wordingOf(language)
  if (!wording) return tidied(reworded(plain, language))
  return tidied(readers.reduce((rest, reader) => reader(rest, wording, language), plain))
}

const onlyGerman =
  (reader: Reader): Reader =>
  (text, wording, language) =>
    mainLanguage(language) === 'de' ? reader(text, wording, language) : text

/** What is surer, or has more digits in it, comes first. */
const readers: readonly Reader[] = [
  sayAddressesIn,
  writeOutShortForms,
  sayVersionsIn,
  joinThousands,
  sayCertainPhonesIn,
  sayNumberGroupsIn,
  sayLocalPhonesIn,
  onlyGerman(sayGermanCompoundsIn),
  sayCalculationsIn,
  sayMoneyRangesIn,
  sayRangesIn,
  saySignsIn,
  sayWeekdaysIn,
  expandAbbreviations,
  sayDatesIn,
  sayMoneyIn,
  sayFractionsIn,
  sayUnitsIn,
  sayCodesIn,
  sayRomanNumeralsIn,
  sayCapitalsIn,
  sayNumbersIn,
  saySymbolsIn,
]

const tidied = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .replace(/ (?=[,.;:!?])/g, '')
    .trim()
