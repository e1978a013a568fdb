/** Limits of fast speech. */
const maxSyllablesPerSecond = 9
const maxDigitsPerSecond = 6.5
/** Loud frames miss soft beginnings and ends. */
const slack = { syllables: 3, digits: 1 }

/** Confidence of a text that nobody can have said in the time: below the limit of unclear words. */
const unbelievable = 0.3

interface Timed {
  text: string
  confidence: number
}

/**
 * Recognisers that are caught in a loop write more than was said. Removes repetitions for which the voice was too short; a text that is still
 * too long is unclear.
 */
export const withinSpeakingRate = <T extends Timed>(heard: T, loudMs: number): T => {
  let words = heard.text.split(' ')
  while (isTooLong(words, loudMs)) {
    const shorter = withoutOneCopy(words)
    if (!shorter) return { ...heard, text: words.join(' '), confidence: Math.min(heard.confidence, unbelievable) }
    words = shorter
  }
  return { ...heard, text: words.join(' ') }
}

const isTooLong = (words: readonly string[], loudMs: number): boolean => {
  const seconds = loudMs / 1000
  const syllables = words.reduce((sum, word) => sum + syllablesIn(word), 0)
  const digits = words.reduce((sum, word) => sum + digitsIn(word), 0)
  return syllables > slack.syllables + maxSyllablesPerSecond * seconds || digits > slack.digits + maxDigitsPerSecond * seconds
}

const digitsIn = (word: string): number => word.match(/\d/g)?.length ?? 0

/** Groups of vowels, and one for each digit. Scripts without such vowels count as nothing. */
const syllablesIn = (word: string): number => digitsIn(word) + (word.toLowerCase().match(/[aeiouyäöüáéíóúàèìòùâêîôû]+/gu)?.length ?? 0)

const plain = (word: string): string => word.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')

/** Removes the last copy of the last words that come twice in a row. The mark behind them stays at the end. */
const withoutOneCopy = (words: readonly string[]): string[] | undefined => {
  const all = words.map(plain)
  for (let end = words.length; end >= 2; end--)
    for (let length = 1; length * 2 <= end; length++) {
      const isCopy = all.slice(end - length, end).every((word, index) => word === all[end - 2 * length + index])
      if (isCopy) return [...words.slice(0, end - 2 * length), ...words.slice(end - length)]
    }
  return undefined
}
