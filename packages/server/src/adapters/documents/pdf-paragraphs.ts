import { DocumentUnreadable, type Paragraph } from '#core/kernel/ports/files.ts'
import { readPdfPages, type PdfLine } from './pdf-lines.ts'

/** The text of a PDF page by page; lines in larger letters are headings. */
export const pdfParagraphs = async (pdf: Buffer, onPage: (page: number) => Promise<void>): Promise<Paragraph[]> => {
  if (!pdf.subarray(0, 1024).includes('%PDF-')) throw new DocumentUnreadable('It is no PDF.')
  return intoParagraphs(await readPdfPages(pdf, onPage))
}

/** Factor of the text's letter height above which a line is a heading. */
const headingHeight = 1.15
const maxHeadingWords = 14

const intoParagraphs = (pages: readonly (readonly PdfLine[])[]): Paragraph[] => {
  const usual = defaultHeight(pages.flat())
  const paragraphs: Paragraph[] = []
  let heading: string | undefined
  let text = ''
  const close = (page: number): void => {
    if (text !== '') paragraphs.push({ text, page, ...(heading !== undefined && { heading }) })
    text = ''
  }
  for (const [index, lines] of pages.entries()) {
    for (const [line, height] of lines) {
      const isHeading = height > usual * headingHeight && line.split(' ').length <= maxHeadingWords
      if (line === '' || isHeading) close(index + 1)
      if (isHeading && line !== '') heading = line
      else if (line !== '') text = joined(text, line)
    }
    close(index + 1)
  }
  return paragraphs
}

/** Joins a word that was hyphenated at the end of a line. */
const joined = (text: string, line: string): string => {
  if (text === '') return line
  return text.endsWith('-') && /^\p{Ll}-$/u.test(text.slice(-2)) && /^\p{Ll}/u.test(line) ? text.slice(0, -1) + line : `${text} ${line}`
}

/** The height of most letters. */
const defaultHeight = (lines: readonly PdfLine[]): number => {
  const letters = new Map<number, number>()
  for (const [text, height] of lines) letters.set(height, (letters.get(height) ?? 0) + text.length)
  return [...letters].toSorted((one, other) => other[1] - one[1])[0]?.[0] ?? 0
}
