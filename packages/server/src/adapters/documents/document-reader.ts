import { setImmediate as nextTurn } from 'node:timers/promises'
import { DocumentUnreadable, type DocumentReader, type Paragraph } from '#core/kernel/ports/document/document-reader.ts'
import { htmlParagraphs } from './html-paragraphs.ts'
import { markdownParagraphs, textParagraphs } from './text-paragraphs.ts'
import { pdfParagraphs, type StartLimited } from './pdf-paragraphs.ts'

/** Reads what customers upload. A PDF is read in a process of its own, with limits: it is a program of somebody else. */
export const documentReader = ({ startLimited }: { startLimited: StartLimited }): DocumentReader => ({
  async read(kind, content) {
    const paragraphs = await readAs[kind](content, startLimited)
    if (paragraphs.length === 0) throw new DocumentUnreadable('There is no text in it. Pictures of text cannot be read.')
    return paragraphs
  },

  breathe: () => nextTurn(),
})

type Read = (content: Buffer, startLimited: StartLimited) => Promise<Paragraph[]> | Paragraph[]

const readAs: Record<Parameters<DocumentReader['read']>[0], Read> = {
  text: (content) => textParagraphs(decoded(content)),
  markdown: (content) => markdownParagraphs(decoded(content), () => nextTurn()),
  html: (content) => htmlParagraphs(decoded(content), () => nextTurn()),
  pdf: (content, startLimited) => pdfParagraphs(content, startLimited),
}

/** UTF-8, unless it cannot be: then it is what Windows wrote before. */
const decoded = (content: Buffer): string => {
  if (content.includes(0)) throw new DocumentUnreadable('It is no text, but another kind of file.')
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content)
  } catch {
    return new TextDecoder('windows-1252').decode(content)
  }
}
