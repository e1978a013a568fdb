import { readFile } from 'node:fs/promises'
import { indexParagraphs } from '#core/assistant/knowledge/index-paragraphs.ts'
import { DocumentUnreadable, type DocumentKind, type Paragraph } from '#core/kernel/ports/files.ts'
import type { DocumentLine } from './document-lines.ts'
import { htmlParagraphs } from './html-paragraphs.ts'
import { markdownParagraphs, textParagraphs } from './text-paragraphs.ts'

/** Process that reads one document: `kind path maxPassages`. It may only read files. */
const [, , kind = '', path = '', maxPassages = ''] = process.argv
/** Characters per write. */
const chunkLength = 64 * 1024

const readAs: Record<DocumentKind, (content: Buffer) => Promise<Paragraph[]> | Paragraph[]> = {
  text: (content) => textParagraphs(decoded(content)),
  markdown: (content) => markdownParagraphs(decoded(content)),
  html: (content) => htmlParagraphs(decoded(content)),
  pdf: async (content) => {
    const { pdfParagraphs } = await import('./pdf-paragraphs.ts')
    return pdfParagraphs(content, (page) => write([{ page }]))
  },
}

/** UTF-8 if valid; otherwise Windows-1252. */
const decoded = (content: Buffer): string => {
  if (content.includes(0)) throw new DocumentUnreadable('It is no text, but another kind of file.')
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content)
  } catch {
    return new TextDecoder('windows-1252').decode(content)
  }
}

/** Resolves when the service has read the lines: unread ones are not buffered here. */
const write = (lines: readonly DocumentLine[]): Promise<void> =>
  new Promise((resolve, reject) => {
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
    process.stdout.write(text, (error) => (error ? reject(error) : resolve()))
  })

const run = async (): Promise<number> => {
  const paragraphs = await readAs[kind as DocumentKind](await readFile(path))
  if (paragraphs.length === 0) throw new DocumentUnreadable('There is no text in it. Pictures of text cannot be read.')
  let lines: DocumentLine[] = []
  let length = 0
  for (const part of indexParagraphs(paragraphs, Number(maxPassages))) {
    lines.push(part)
    length += 'term' in part ? part.postings.length : part.passage.text.length
    if (length < chunkLength) continue
    await write(lines)
    lines = []
    length = 0
  }
  await write(lines)
  return 0
}

process.exitCode = await run().catch(async (error: Error) => {
  if (!(error instanceof DocumentUnreadable)) {
    process.stderr.write(`${error.name}: ${error.message}\n`)
    return 5
  }
  await write([{ refused: error.message }])
  return 0
})
process.exit()
