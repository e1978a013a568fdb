import { readFile } from 'node:fs/promises'
import { getDocument, VerbosityLevel, type PDFPageProxy } from 'pdfjs-dist/legacy/build/pdf.mjs'
import { locked, tooLong, unreadable } from './pdf-exits.ts'

const [, , path = '', maxPages = ''] = process.argv

/** Of one line: its words, and how high its letters are. */
export type PdfLine = [text: string, height: number]

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

const write = (text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => (error ? reject(error) : resolve()))
  })

const run = async (): Promise<number> => {
  const data = new Uint8Array(await readFile(path))
  const document = await getDocument({
    data,
    useSystemFonts: false,
    disableFontFace: true,
    enableXfa: false,
    verbosity: VerbosityLevel.ERRORS,
  }).promise
  if (document.numPages > Number(maxPages)) return tooLong
  for (let number = 1; number <= document.numPages; number++) {
    const page = await document.getPage(number)
    await write(`${JSON.stringify(await linesOf(page))}\n`)
    page.cleanup()
  }
  return 0
}

process.exitCode = await run().catch((error: Error) => {
  process.stderr.write(`${error.name}: ${error.message}\n`)
  return error.name === 'PasswordException' ? locked : unreadable
})
process.exit()
