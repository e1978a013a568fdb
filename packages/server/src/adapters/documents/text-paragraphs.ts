import type { Paragraph } from '#core/kernel/ports/document/document-reader.ts'

const blankLines = /\n\s*\n/

export const textParagraphs = (text: string): Paragraph[] =>
  text
    .replaceAll('\r\n', '\n')
    .split(blankLines)
    .map((paragraph) => ({ text: paragraph.trim() }))
    .filter((paragraph) => paragraph.text !== '')

const headingLine = /^#{1,6}\s+(.*?)\s*#*$/
const underline = /^(?:=+|-{2,})\s*$/

/** Headings say what stands below them; of the rest only the words are kept. */
export const markdownParagraphs = (text: string): Paragraph[] => {
  const paragraphs: Paragraph[] = []
  let heading: string | undefined
  let lines: string[] = []
  const close = (): void => {
    const words = withoutMarks(lines.join('\n')).trim()
    lines = []
    if (words !== '') paragraphs.push({ text: words, ...(heading !== undefined && { heading }) })
  }
  for (const line of text.replaceAll('\r\n', '\n').split('\n')) {
    const title = headingLine.exec(line)?.[1] ?? (underline.test(line) && lines.length === 1 ? lines.pop() : undefined)
    if (title !== undefined || line.trim() === '') close()
    if (title !== undefined) heading = withoutMarks(title).trim() || undefined
    else if (!underline.test(line)) lines.push(line)
  }
  close()
  return paragraphs
}

const withoutMarks = (text: string): string =>
  text
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/^\s*(?:[-*+]|\d+\.|>|```.*)\s*/gm, '')
    .replaceAll(/[*_`]{1,3}([^*_`]+)[*_`]{1,3}/g, '$1')
    .replaceAll(/^\|?[\s:|-]+\|?$/gm, '')
    .replaceAll(/\s*\|\s*/g, ' ')
