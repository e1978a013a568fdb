import { endsWithAbbreviation } from './abbreviations.ts'
import { isGermanOrdinal } from './german-wording.ts'
import { mainLanguage } from './main-language.ts'

/** Maximum characters per utterance. */
export const maxUtteranceLength = 200
/** Characters above which sentences are split into clauses. */
const comfortable = 140
/** Minimum length of the first utterance: shorter ones would end before the next is synthesised. */
const minFirstLength = 10

/** Possible pauses. */
const breaks = /[.!?…]+["'”’»)\]]*(?=\s|$)|[。！？]|[,;:]["'”’»)\]]*(?=\s|$)|[^\S\n][–—-](?=\s|$)|\n/g
/** After the end of a line: an empty line or a list item. */
const newParagraph = /^[^\S\n]*(?:\n|[-*•]\s|\d{1,3}[.)]\s)/
const perhapsNewParagraph = /^[^\S\n]*(?:[-*•]|\d{1,3}[.)]?)?$/
const conjunction = /\s(?=(?:and|or|but|because|which|that|when|if|und|oder|aber|weil|dass|wenn|sowie|sondern)\s)/g

type Kind = 'sentence' | 'clause' | 'none' | 'unsure'

/**
 * Splits text into utterances. The first one is short if there is a natural break, so that audio starts early. Text may come in chunks of
 * any size; the result does not depend on them.
 */
export class UtteranceSplitter {
  readonly #language: string
  #rest = ''
  #first = true

  constructor(language: string) {
    this.#language = language
  }

  /** Returns complete utterances. */
  feed(text: string): string[] {
    this.#rest += text
    return this.#cut(false)
  }

  /** Returns the rest at the end of input. */
  flush(): string[] {
    return this.#cut(true)
  }

  #cut(final: boolean): string[] {
    const utterances: string[] = []
    for (;;) {
      this.#rest = this.#rest.trimStart()
      const end = this.#nextEnd(final)
      if (end === 0) return utterances
      utterances.push(this.#rest.slice(0, end).trim())
      this.#rest = this.#rest.slice(end)
      this.#first = false
    }
  }

  /** 0: not known yet. */
  #nextEnd(final: boolean): number {
    const rest = this.#rest
    let clause = 0
    for (const { index, 0: mark } of rest.slice(0, maxUtteranceLength + 1).matchAll(breaks)) {
      const end = index + mark.length
      const kind = end > maxUtteranceLength ? 'none' : this.#kindAt(index, mark, final)
      if (kind === 'unsure') return 0
      if (kind === 'none') continue
      if (end > comfortable && clause > 0) return clause
      if (kind === 'sentence' || end > comfortable || (this.#first && end >= minFirstLength)) return end
      clause = end
    }
    if (rest.length > comfortable && clause > 0) return clause
    if (rest.length > maxUtteranceLength) return hardEnd(rest)
    return final ? rest.length : 0
  }

  #kindAt(index: number, mark: string, final: boolean): Kind {
    const after = this.#rest.slice(index + mark.length)
    if (/^[。！？]/.test(mark)) return 'sentence'
    if (after === '' && !final) return 'unsure'
    if (mark === '\n') return newParagraph.test(after) ? 'sentence' : perhapsNewParagraph.test(after) && !final ? 'unsure' : 'none'
    if (/^[,;:\s]/.test(mark)) return 'clause'
    const [gapAndWord = '', word = ''] = /^\s*([\p{L}\p{N}]*)/u.exec(after) ?? []
    const wordIsWhole = final || gapAndWord.length < after.length
    if (word === '' && !wordIsWhole) return 'unsure'
    if (mark.length > 1 || mark !== '.') return 'sentence'
    return this.#kindOfDot(this.#rest.slice(0, index), word, wordIsWhole)
  }

  #kindOfDot(before: string, word: string, wordIsWhole: boolean): Kind {
    if (endsWithAbbreviation(`${before}.`, word.slice(0, 1), this.#language)) return 'none'
    const number = /(?<![\p{L}\p{N},.])\d+$/u.exec(before)
    if (!number) return /^\p{Ll}/u.test(word) ? 'clause' : 'sentence'
    if (number.index === 0) return 'none'
    if (mainLanguage(this.#language) !== 'de') return 'sentence'
    if (!wordIsWhole) return 'unsure'
    return isGermanOrdinal(before.slice(0, number.index), word) ? 'none' : 'sentence'
  }
}

/** Fallback without a pause: before a conjunction, otherwise between words, otherwise anywhere but inside a character. */
const hardEnd = (text: string): number => {
  const start = text.slice(0, maxUtteranceLength + 1)
  const places = [...start.matchAll(conjunction)].map(({ index }) => index).filter((index) => index > maxUtteranceLength / 3)
  const place = places.at(-1) ?? start.search(/\s\S*$/)
  if (place > 0) return place
  return /[\ud800-\udbff]/.test(text[maxUtteranceLength - 1] ?? '') ? maxUtteranceLength - 1 : maxUtteranceLength
}

export const utterancesOf = (text: string, language: string): string[] => {
  const cutter = new UtteranceSplitter(language)
  return [...cutter.feed(text), ...cutter.flush()]
}
