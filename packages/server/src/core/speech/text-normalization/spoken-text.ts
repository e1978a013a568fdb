import { expandAbbreviations } from './abbreviations.ts'
import { writeOutShortForms } from './short-forms.ts'
import {
  sayAddressesIn,
  sayCapitalsIn,
  sayCodesIn,
  sayNumberGroupsIn,
  sayVersionsIn,
  sayCertainPhonesIn,
  sayLocalPhonesIn,
  sayCalculationsIn,
  saySymbolsIn,
} from './codes-in-text.ts'
import {
  joinThousands,
  sayNumbersIn,
  sayRangesIn,
  saySignsIn,
  sayUnitsIn,
  sayMoneyIn,
  sayMoneyRangesIn,
  sayFractionsIn,
  sayRomanNumeralsIn,
} from './numbers-in-text.ts'
import { sayDatesIn, sayWeekdaysIn } from './dates-in-text.ts'
import { sayGermanCompoundsIn, sayGermanHalvesIn } from './german-dates.ts'
import { sayKeysIn, sayPowersIn } from './keys-and-powers.ts'
import { mainLanguage } from './main-language.ts'
import { reworded } from './rewording.ts'
import type { Wording } from './wording.ts'
import { english } from './english-wording.ts'
import { german } from './german-wording.ts'

/** Converts the patterns it knows and leaves the rest to later readers. */
type Reader = (text: string, wording: Wording, language: string) => string

/**
 * Text for a voice: without markup, with numbers, dates, amounts and the like as words. French, Spanish and Italian keep their numbers
 * and get words for the rest; other languages stay unchanged.
 */
export const spokenText = (text: string, language: string): string => {
  const plain = withoutMarkup(sayKeysIn(text, language))
  const wording = wordingOf(language)
  if (!wording) return tidied(reworded(plain, language))
  return tidied(readers.reduce((rest, reader) => reader(rest, wording, language), plain))
}

const onlyGerman =
  (reader: Reader): Reader =>
  (text, wording, language) =>
    mainLanguage(language) === 'de' ? reader(text, wording, language) : text

/** Ordered by certainty and by number of digits. */
const readers: readonly Reader[] = [
  sayAddressesIn,
  writeOutShortForms,
  sayVersionsIn,
  joinThousands,
  sayCertainPhonesIn,
  sayNumberGroupsIn,
  sayLocalPhonesIn,
  sayPowersIn,
  onlyGerman(sayGermanCompoundsIn),
  onlyGerman(sayGermanHalvesIn),
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

/** Visual markup of assistants: Markdown, bullets, emoji. */
const marks: readonly (readonly [RegExp, string])[] = [
  [/\[([^[\]]{1,200})\]\([^()\s]{1,500}\)/g, '$1'],
  [/^[ \t]{0,8}(?:#{1,6}|[-*•>])[ \t]+/gm, ''],
  // A star between two numbers means multiplication.
  [/(?<!\d ?)\*+|\*+(?! ?\d)|`+|~~/g, ''],
  [/(?<![\p{L}\p{N}])_+|_+(?![\p{L}\p{N}])/gu, ''],
  // Unicode counts digits as emoji: those stay.
  [/(?:(?![\d#*©®™])\p{Emoji}|\u200d|\ufe0f|\u20e3)+/gu, ' '],
]

const withoutMarkup = (text: string): string => marks.reduce((rest, [mark, words]) => rest.replace(mark, words), text)

const wordings: ReadonlyMap<string, Wording> = new Map(Object.entries({ en: english, de: german }))

/** Undefined: voices of this language must read numbers themselves. */
export const wordingOf = (language: string): Wording | undefined => wordings.get(mainLanguage(language))
