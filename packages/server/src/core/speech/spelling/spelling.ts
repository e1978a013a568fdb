import { mainLanguage } from '../text-normalization/main-language.ts'
import { english } from './english.ts'
import { german } from './german.ts'
import { numbersIn, type SpellingTable } from './numbers.ts'

const spellings: Readonly<Record<string, SpellingTable>> = { en: english, de: german }

/**
 * Normalises transcripts of any recogniser: punctuation, capitals, hyphens, numbers and times. Numbers from 10 on are digits, smaller
 * ones are words, except in digit sequences, times and dates. Idioms of a language ("half past five", "halb acht") stay.
 */
export const spelled = (text: string, language: string): string => {
  const spelling = spellings[mainLanguage(language)]
  const tidy = tidyMarks(text)
  return capitalised(spelling ? numbersIn(withVariants(tidy, spelling), spelling.numbers) : tidy)
}

const withVariants = (text: string, { variants }: SpellingTable): string =>
  variants.reduce(
    (rest, [found, written]) =>
      rest.replaceAll(found, (all, ...others: unknown[]) => {
        const parts = others
          .slice(
            0,
            others.findIndex((part) => typeof part === 'number'),
          )
          .map((part) => (part as string | undefined) ?? '')
        const filled =
          typeof written === 'string' ? written.replaceAll(/\$(\d)/gu, (_, nth) => parts[Number(nth) - 1] ?? '') : written(...parts)
        return /^\p{Lu}/u.test(all) ? filled.charAt(0).toUpperCase() + filled.slice(1) : filled
      }),
    text,
  )

/** Recognisers guess punctuation: some marks come twice, some after a space, and not every sentence begins with a capital. */
const tidyMarks = (text: string): string =>
  text
    .replaceAll(/[’ʼ]/gu, "'")
    .replaceAll(/\s+/gu, ' ')
    .replaceAll(/ (?=[,.;:!?](?:\s|$))/gu, '')
    .replaceAll(/,(?=[.!?])/gu, '')
    .replaceAll(/([,;:!?])[,;:.]+(?=\s|$)/gu, '$1')
    .replaceAll(/(?<!\.)\.{2}(?!\.)/gu, '.')
    .replaceAll(/([!?])\1+/gu, '$1')
    .trim()

/** A full stop after these does not end a sentence. */
const abbreviations = new Set(
  'dr mr mrs ms st prof nr no vs str ca bzw usw inkl zzgl evtl tel min max sr sra jr hr fr ing sig dott mme mlle etc'.split(' '),
)

/** Capitalises the first letter of each sentence. A number before the full stop may be an ordinal, a single letter an abbreviation. */
const capitalised = (text: string): string => {
  const withFirst = text.replace(/^([^\p{L}\p{N}]*)(\p{Ll})/u, (_, marks: string, letter: string) => marks + letter.toUpperCase())
  return withFirst.replaceAll(/(?<=(\p{L}+)([.!?])["»”]? )\p{Ll}/gu, (letter, word: string, mark: string) => {
    const isShort = mark === '.' && (word.length === 1 || abbreviations.has(word.toLowerCase()))
    return isShort ? letter : letter.toUpperCase()
  })
}
