import { DocumentUnreadable, type Paragraph, type ReadPassage, type ReadTerm } from '#core/kernel/ports/files.ts'
import type { StoredDocument } from '#core/kernel/ports/store/assistant.ts'

/** Yields the passages of a document in order, then its terms. Takes seconds for a large one: run it outside the main thread. */
export function* indexParagraphs(paragraphs: Iterable<Paragraph>, maxPassages: number): Generator<ReadPassage | ReadTerm> {
  /** Stores a bare number for one passage: most terms of a large document occur in only one, so a list for each would take too much memory. */
  const postings = new Map<string, Posting | Posting[]>()
  let nth = 0
  for (const passage of intoPassages(paragraphs)) {
    if (nth >= maxPassages)
      throw new DocumentUnreadable(`The flow would have more than ${maxPassagesOfFlow} passages; delete a document first.`)
    const { terms, words } = countTerms(`${passage.heading ?? ''} ${passage.text}`)
    for (const [term, count] of terms) add(postings, term, posting(nth, count))
    yield { passage, words }
    nth++
  }
  for (const [term, list] of postings) yield { term, postings: writePostings(typeof list === 'number' ? [list] : list) }
}

const add = (postings: Map<string, Posting | Posting[]>, term: string, one: Posting): void => {
  const known = postings.get(term)
  if (known === undefined) postings.set(term, one)
  else if (typeof known === 'number') postings.set(term, [known, one])
  else known.push(one)
}

/** Words per passage: shorter ones are joined, longer ones cut at the end of a sentence. */
const enough = 80
const max = 120
/** Characters of a passage: a document may be one word of megabytes. */
const maxPassageLength = 4_000
/** Characters of a heading; longer text is not a heading. */
const maxHeadingLength = 200

/**
 * Yields a few sentences under one heading on one page, to match questions. Never crosses a heading or a page; a passage is short only where the
 * text ends.
 */
export function* intoPassages(paragraphs: Iterable<Paragraph>): Generator<Paragraph> {
  let open: { heading: string | undefined; page: number | undefined; sentences: string[]; words: number; length: number } | undefined
  for (const { text, heading, page } of paragraphs) {
    if (open && (open.heading !== heading || open.page !== page)) {
      yield closed(open)
      open = undefined
    }
    for (const sentence of sentencesOf(text)) {
      const words = countWords(sentence)
      if (open && (open.words >= enough || open.words + words > max || open.length + sentence.length > maxPassageLength)) {
        yield closed(open)
        open = undefined
      }
      open ??= { heading, page, sentences: [], words: 0, length: 0 }
      open.sentences.push(sentence)
      open.words += words
      open.length += sentence.length + 1
    }
  }
  if (open) yield closed(open)
}

const closed = ({
  heading,
  page,
  sentences,
}: {
  heading: string | undefined
  page: number | undefined
  sentences: string[]
}): Paragraph => ({
  text: sentences.join(' '),
  ...(heading !== undefined && { heading: heading.slice(0, maxHeadingLength) }),
  ...(page !== undefined && { page }),
})

const sentenceEnd = /(?<=[.!?…:;])\s+(?=[\p{Lu}\d"„“(–-])/u
const lineBreak = /\n+/

/** Characters of a line scanned for sentence ends in one step: a whole document may be one line. */
const maxLineLength = 10_000

const inChunks = (line: string): string[] => {
  const pieces: string[] = []
  for (let at = 0; at < line.length;) {
    const space = line.lastIndexOf(' ', at + maxLineLength)
    const end = at + maxLineLength >= line.length ? line.length : space > at ? space : at + maxLineLength
    pieces.push(line.slice(at, end))
    at = end
  }
  return pieces
}

const countWords = (text: string): number => text.split(/\s+/).length

/** Cuts long text without sentence ends, as in tables and lists, between words, and an overlong word inside. */
function* sentencesOf(text: string): Generator<string> {
  for (const line of text.split(lineBreak).flatMap(inChunks))
    for (const sentence of line.split(sentenceEnd)) {
      const words = sentence.trim().split(/\s+/)
      for (let at = 0; at < words.length; at += max) {
        const piece = words.slice(at, at + max).join(' ')
        for (let from = 0; from < piece.length; from += maxPassageLength) yield piece.slice(from, from + maxPassageLength)
      }
    }
}

/** Maximum length of a word; a document of longer ones would fill the index. */
const maxWordLength = 40
const chunkLength = 4
/** Prefix of word parts, which share a table with words. */
const piece = '~'

/** Lower case without accents, as people say and write it. */
const plain = (text: string): string =>
  text.toLowerCase().replaceAll('ß', 'ss').replaceAll('æ', 'ae').replaceAll('œ', 'oe').normalize('NFKD').replaceAll(/\p{M}/gu, '')

export const wordsOf = (text: string): string[] =>
  (plain(text).match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => word.length <= maxWordLength && !fillWords.has(word))

/** Common German and English endings; crude, but the same for question and document. */
const ending = /(?:ungen|innen|ings?|ung|ern|est|ies|ers?|en|em|es|ed|s|e|n|y)$/

export const stemOf = (word: string): string => {
  if (word.length < 4 || /\d/.test(word)) return word
  const stem = word.replace(word.length === 4 ? /s$/ : ending, '')
  return stem.length >= 3 ? stem : word
}

/** Overlapping four-letter parts, so that “Parkplätze” is found in “Kundenparkplatz”. */
export const piecesOf = (word: string): string[] => {
  if (word.length < chunkLength || /\d/.test(word)) return []
  const pieces = new Set<string>()
  for (let at = 0; at + chunkLength <= word.length; at++) pieces.add(piece + word.slice(at, at + chunkLength))
  return [...pieces]
}

/** Counts every term of a text. */
export const countTerms = (text: string): { terms: Map<string, number>; words: number } => {
  const terms = new Map<string, number>()
  const words = wordsOf(text)
  const add = (term: string): void => void terms.set(term, (terms.get(term) ?? 0) + 1)
  for (const word of words) {
    add(stemOf(word))
    for (const one of piecesOf(word)) add(one)
  }
  return { terms, words: words.length }
}

/** Passage that contains a term, with its count: `nth * countRange + count`. One number each, because a document has millions. */
export type Posting = number

const countRange = 4096

export const posting = (nth: number, count: number): Posting => nth * countRange + Math.min(count, countRange - 1)

/** Serializes the passages of a term and its counts: `3 7.2 12` is once in the fourth, twice in the eighth, once in the thirteenth. */
export const writePostings = (postings: readonly Posting[]): string =>
  postings
    .map((one) => {
      const count = one % countRange
      const nth = String((one - count) / countRange)
      return count === 1 ? nth : `${nth}.${count}`
    })
    .join(' ')

const space = 32
const dot = 46
const zero = 48

/** Parses character by character, because a question reads tens of thousands of postings. */
export const readPostings = (text: string, take: (nth: number, count: number) => void): void => {
  let nth = 0
  let count = 0
  let counting = false
  for (let at = 0; at <= text.length; at++) {
    const code = at === text.length ? space : text.charCodeAt(at)
    if (code === space) {
      take(nth, counting ? count : 1)
      nth = 0
      count = 0
      counting = false
    } else if (code === dot) counting = true
    else if (counting) count = count * 10 + code - zero
    else nth = nth * 10 + code - zero
  }
}

export const countPostings = (text: string): number => {
  let count = 1
  for (let at = text.indexOf(' '); at >= 0; at = text.indexOf(' ', at + 1)) count++
  return count
}

const german = `aber alle allem allen aller alles als also am an andere auch auf aus bei beim bin bis bist bitte da damit dann das dass dem den denn der des
dessen die dies diese diesem diesen dieser dieses doch dort du durch ein eine einem einen einer eines er es etwas euch euer eure fur gerne gibt haben hat
hatte hatten hatte ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im immer in irgendwo ist ja jede jedem jeden jeder jetzt kann kannst kein keine keinen
konnen konnte konnten mal man mein meine meinem meinen meiner mich mir mit mochte mochten muss mussen nach nicht noch nun nur ob oder ohne schon sehr sein
seine seinem seinen seiner sich sie sind so soll sollen sollte uber um und uns unser unsere unserem unseren unserer viel vom von vor war waren was wegen
weil welche welchem welchen welcher welches wenn wer werde werden wie wieder will wir wird wo wohin wollen wurde wurden zu zum zur zwischen brauche brauchen
braucht mehr pro darf durfen`

const english = `a about also am an and any anywhere are as at be been but by can could did do does for from get give had has have having he her here him his how i
if in into is it its just like may me mean my no not of on one or our out please shall she should so some somebody something than that the their them then
there these they this those to too us was we were what when where which who will with would you your need want must much many`

/** Stop words: they say nothing about a passage's subject. Written in the form that `plain` returns. */
const fillWords: ReadonlySet<string> = new Set(`${german} ${english}`.split(/\s+/))

export const maxDocumentsOfFlow = 200
export const maxPassagesOfFlow = 20_000

export const countPassages = (documents: readonly StoredDocument[]): number => documents.reduce((sum, { passages }) => sum + passages, 0)
