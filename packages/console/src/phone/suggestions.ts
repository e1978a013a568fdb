export interface Suggestion {
  name: string
  number: string
}

const digitsOf = (text: string): string => text.replaceAll(/\D/g, '').replace(/^00/, '')

/** Contains a letter: a name is being typed. */
export const isName = (typed: string): boolean => /\p{L}/u.test(typed)

/** Suggestions whose name has all the words, or whose number has the digits; each number once. */
export const suggestionsFor = (typed: string, known: readonly Suggestion[], max = 6): Suggestion[] => {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean)
  const digits = digitsOf(typed).replace(/^0/, '')
  if (words.length === 0) return []
  const fits = ({ name, number }: Suggestion): boolean =>
    isName(typed)
      ? words.every((word) => name.toLowerCase().includes(word))
      : digits !== '' && digitsOf(number).includes(digits) && number !== typed
  const found = new Map<string, Suggestion>()
  for (const one of known) if (found.size < max && fits(one) && !found.has(one.number)) found.set(one.number, one)
  return [...found.values()]
}
