import type { Paragraph } from '#core/kernel/ports/document/document-reader.ts'

/** Words: shorter ones are joined, longer ones cut where a sentence ends. */
const enough = 80
const max = 120
/** Of a heading: more is no heading. */
const maxHeadingLength = 200

/** What questions give: a few sentences under one heading, on one page. Never over a heading or a page; a passage is short only where there is no more. */
export function* intoPassages(paragraphs: Iterable<Paragraph>): Generator<Paragraph> {
  let open: { heading: string | undefined; page: number | undefined; sentences: string[]; words: number } | undefined
  for (const { text, heading, page } of paragraphs) {
    if (open && (open.heading !== heading || open.page !== page)) {
      yield closed(open)
      open = undefined
    }
    for (const sentence of sentencesOf(text)) {
      const words = countWords(sentence)
      if (open && (open.words >= enough || open.words + words > max)) {
        yield closed(open)
        open = undefined
      }
      open ??= { heading, page, sentences: [], words: 0 }
      open.sentences.push(sentence)
      open.words += words
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

/** Of a line that is searched for ends of sentences at once: a whole document may be one line. */
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

/** Without an end for too long, as in tables and lists, it is cut between words. */
function* sentencesOf(text: string): Generator<string> {
  for (const line of text.split(lineBreak).flatMap(inChunks))
    for (const sentence of line.split(sentenceEnd)) {
      const words = sentence.trim().split(/\s+/)
      for (let at = 0; at < words.length; at += max) {
        const piece = words.slice(at, at + max).join(' ')
        if (piece !== '') yield piece
      }
    }
}
