import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { DocumentUnreadable, type Paragraph } from '#core/kernel/ports/document/document-reader.ts'
import { locked, tooLong } from './pdf-exits.ts'
import type { PdfLine } from './pdf-text-child.ts'

const program = fileURLToPath(new URL(`./pdf-text-child${extname(import.meta.filename)}`, import.meta.url))
const heapMegabytes = 512
const maxPages = 500
/** More text is no document that somebody wrote. */
const maxCharacters = 8_000_000
const limits = {
  seconds: 120,
  memoryBytes: 1024 * 1024 * 1024,
  memory: 'resident',
  pageSeconds: { first: 15, further: 5 },
} as const

/** Runs a program on untrusted input, and ends it when it takes too much; see `adapters/fax/limited-child.ts`. */
export type StartLimited = (
  command: string,
  args: readonly string[],
  limits: { seconds: number; memoryBytes: number; memory: 'resident'; pageSeconds: { first: number; further: number } },
) => { output: Readable; ended: Promise<{ code: number | undefined; stopped: boolean }>; paged(): void; stop(): void }

/** The text of a PDF page by page; lines in larger letters are headings. */
export const pdfParagraphs = async (pdf: Buffer, startLimited: StartLimited): Promise<Paragraph[]> => {
  if (!pdf.subarray(0, 1024).includes('%PDF-')) throw new DocumentUnreadable('It is no PDF.')
  const folder = await mkdtemp(join(tmpdir(), 'offhook-knowledge-'))
  try {
    const path = join(folder, 'document.pdf')
    await writeFile(path, pdf)
    return intoParagraphs(await readPages(path, startLimited))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const readPages = async (path: string, startLimited: StartLimited): Promise<PdfLine[][]> => {
  const may = ['--permission', '--allow-addons', '--allow-fs-read=*', '--no-warnings']
  const args = [...may, `--max-old-space-size=${heapMegabytes}`, program, path, String(maxPages)]
  const child = startLimited(process.execPath, args, limits)
  const pages: PdfLine[][] = []
  let characters = 0
  try {
    for await (const line of createInterface({ input: child.output, crlfDelay: Infinity })) {
      child.paged()
      characters += line.length
      if (characters > maxCharacters) throw new DocumentUnreadable('It has too much text; add it in parts.')
      pages.push(JSON.parse(line) as PdfLine[])
    }
    const { code, stopped } = await child.ended
    if (code !== 0) throw refusal(code, stopped)
    return pages
  } finally {
    child.stop()
  }
}

const refusal = (code: number | undefined, stopped: boolean): DocumentUnreadable => {
  if (code === locked) return new DocumentUnreadable('The PDF is protected by a password.')
  if (code === tooLong) return new DocumentUnreadable(`The PDF has more than ${maxPages} pages; add it in parts.`)
  return new DocumentUnreadable(stopped ? 'The PDF takes too long to read.' : 'The PDF is damaged.')
}

/** Of the letters of the text: what is so much higher is a heading. */
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

/** A word that was cut at the end of a line is one word again. */
const joined = (text: string, line: string): string => {
  if (text === '') return line
  return text.endsWith('-') && /^\p{Ll}-$/u.test(text.slice(-2)) && /^\p{Ll}/u.test(line) ? text.slice(0, -1) + line : `${text} ${line}`
}

/** The height in which most letters are. */
const defaultHeight = (lines: readonly PdfLine[]): number => {
  const letters = new Map<number, number>()
  for (const [text, height] of lines) letters.set(height, (letters.get(height) ?? 0) + text.length)
  return [...letters].toSorted((one, other) => other[1] - one[1])[0]?.[0] ?? 0
}
