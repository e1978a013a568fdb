import type { Paragraph } from '#core/kernel/ports/files.ts'

const blankLines = /\n\s*\n/

export const textParagraphs = (text: string): Paragraph[] =>
  text
    .replaceAll('\r\n', '\n')
    .split(blankLines)
    .map((paragraph) => ({ text: paragraph.trim() }))
    .filter((paragraph) => paragraph.text !== '')

/** `#` and a space; underlined lines are headings, too. */
const headingSign = /^#{1,6}[ \t]/
const maxHeadingLength = 300

/** Headings label the text below them; the rest keeps only its words. */
export const markdownParagraphs = (text: string): Paragraph[] => {
  const paragraphs: Paragraph[] = []
  let heading: string | undefined
  let lines: string[] = []
  const close = (): void => {
    const words = lines.map(withoutMarks).join('\n').trim()
    lines = []
    if (words !== '') paragraphs.push({ text: words, ...(heading !== undefined && { heading }) })
  }
  for (const line of text.replaceAll('\r\n', '\n').split('\n')) {
    const title = titleOf(line) ?? (isUnderline(line) && lines.length === 1 ? lines.pop() : undefined)
    if (title !== undefined || line.trim() === '') close()
    if (title !== undefined) heading = withoutMarks(title).trim() || undefined
    else if (line.trim() !== '' && !isUnderline(line)) lines.push(line)
  }
  close()
  return paragraphs
}

const titleOf = (line: string): string | undefined =>
  headingSign.test(line)
    ? line
        .slice(0, maxHeadingLength)
        .replace(headingSign, '')
        .replace(/[ \t]#{1,20}$/, '')
    : undefined

const isUnderline = (line: string): boolean => line.length < maxHeadingLength && /^(?:=+|-{2,})$/.test(line.trim())

/** Every pattern is bounded: a line may be as long as the document, and hostile. */
const withoutMarks = (line: string): string =>
  line
    .replaceAll(/[ \t]+/g, ' ')
    .replace(/^ ?(?:[-*+]|\d{1,9}\.|>|```) ?/, '')
    .replaceAll(/!?\[([^[\]]{0,300})\]\([^()\s]{0,2000}\)/g, '$1')
    .replaceAll(/[*`]+|(?<![\p{L}\p{N}])_+|_+(?![\p{L}\p{N}_])/gu, '')
    .replaceAll(/ ?\|[ |:-]*/g, ' ')
