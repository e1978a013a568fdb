import type { Tail } from '#core/kernel/ports/speech.ts'

/** What a mark says about the sentence. */
export type Mark = 'stop' | 'question' | 'goesOn' | 'other'

const kinds: readonly (readonly [Mark, RegExp])[] = [
  ['goesOn', /^(?:\.\.|…|[,;:、，；：–—-])/u],
  ['question', /^[?？]/u],
  ['stop', /^[.!。！]/u],
]

/** The marks of a vocabulary. What has letters or digits in it, or is only a part of a letter's bytes, is none. */
export const marksOf = (size: number, text: (word: number) => string): ReadonlyMap<number, Mark> => {
  const marks = new Map<number, Mark>()
  for (let word = 0; word < size; word++) {
    const written = text(word)
    if (written === '' || /[\p{L}\p{N}\p{M}\uFFFD]/u.test(written)) continue
    marks.set(word, kinds.find(([, pattern]) => pattern.test(written))?.[0] ?? 'other')
  }
  return marks
}

/** What was likely at the place after the last word. `probability`: of a word of the vocabulary, there. */
export const tailOf = (marks: ReadonlyMap<number, Mark>, end: number, probability: (word: number) => number): Tail => {
  const sums: Record<Mark, number> = { stop: 0, question: 0, goesOn: 0, other: 0 }
  for (const [word, mark] of marks) if (word !== end) sums[mark] += probability(word)
  const atEnd = probability(end)
  const { stop, question, goesOn, other } = sums
  return { stop, question, goesOn, end: atEnd, word: Math.max(0, 1 - stop - question - goesOn - other - atEnd) }
}

/** Written until there was no room for more. */
export const unfinished: Tail = { stop: 0, question: 0, goesOn: 0, end: 0, word: 1 }
