import { mainLanguage } from '../text-normalization/main-language.ts'
import { english } from './english.ts'
import { german } from './german.ts'
import { capitalised, tidyMarks } from './marks.ts'
import { numbersIn } from './numbers.ts'
import type { SpellingTable } from './spelling-table.ts'

const spellings: Readonly<Record<string, SpellingTable>> = { en: english, de: german }

/**
 * The same words written in the same way, whichever recogniser they come from: marks, capitals, hyphens, numbers and times. From 10 on numbers are digits, below
 * they are words, except in rows of digits, times and dates. How a language says something ("half past five", "halb acht") stays.
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
