import { getDocument, VerbosityLevel, type PDFDocumentProxy, type PDFPageProxy } from 'pdfjs-dist/legacy/build/pdf.mjs'
import { DocumentUnreadable } from '#core/kernel/ports/files.ts'

/** A line: its words, and the height of its letters. */
export type PdfLine = [text: string, height: number]

const maxPages = 500
/** More text is not a human-written document. */
const maxCharacters = 8_000_000

/** Lines of every page; `onPage`: called after each page. */
export const readPdfPages = async (content: Buffer, onPage: (page: number) => Promise<void>): Promise<PdfLine[][]> => {
  const document = await open(content)
  if (document.numPages > maxPages) throw new DocumentUnreadable(`The PDF has more than ${maxPages} pages; add it in parts.`)
  const pages: PdfLine[][] = []
  let characters = 0
  for (let number = 1; number <= document.numPages; number++) {
    const page = await document.getPage(number)
    const lines = await linesOf(page)
    page.cleanup()
    characters += lines.reduce((sum, [text]) => sum + text.length, 0)
    if (characters > maxCharacters) throw new DocumentUnreadable('It has too much text; add it in parts.')
    pages.push(lines)
    await onPage(number)
  }
  return pages
}

const open = async (content: Buffer): Promise<PDFDocumentProxy> => {
  try {
    const data = new Uint8Array(content)
    const options = { data, useSystemFonts: false, disableFontFace: true, enableXfa: false, verbosity: VerbosityLevel.ERRORS }
    return await getDocument(options).promise
  } catch (error) {
    const isLocked = error instanceof Error && error.name === 'PasswordException'
    throw new DocumentUnreadable(isLocked ? 'The PDF is protected by a password.' : 'The PDF is damaged.')
  }
}

const linesOf = async (page: PDFPageProxy): Promise<PdfLine[]> => {
  const { items } = await page.getTextContent()
  const lines: PdfLine[] = []
  let text = ''
  let height = 0
  const close = (): void => {
    lines.push([text.replaceAll(/\s+/g, ' ').trim(), Math.round(height * 10) / 10])
    text = ''
    height = 0
  }
  for (const item of items) {
    if (!('str' in item)) continue
    text += item.str
    if (item.str.trim() !== '') height = Math.max(height, item.height)
    if (item.hasEOL) close()
  }
  close()
  return lines
}
