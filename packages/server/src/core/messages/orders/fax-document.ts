import { Problem } from '@offhook/contract/problem.ts'
import { countPdfPages, isPdf } from '#core/money/pdf-pages.ts'

export const maxFileBytes = 10 * 1024 * 1024
export const maxPages = 200
const maxNameLength = 255

export interface FaxDocument {
  filename: string
  pdf: Uint8Array
  /** As far as can be seen without printing it: pages may hide behind a lock that needs no key, and some may have been taken out. */
  pages: number
}

/** Lets others go on before a large document is read any further. */
export type RemoteTurn = () => Promise<unknown>

/** The uploaded document, if it looks as if it could be faxed. The printer decides. */
export const readDocument = async (filename: string, base64Content: string, othersTurn: RemoteTurn): Promise<FaxDocument> => {
  const name = cleanName(filename)
  const pdf = await decode(base64Content, othersTurn)
  if (!isPdf(pdf)) throw Problem.field('base64Content', 'must be a PDF, whole from %PDF- to %%EOF')
  const pages = Math.min(countPdfPages(pdf) ?? 1, maxPages)
  if (pdf.length > piece) await othersTurn()
  return { filename: name, pdf, pages }
}

/** The bare name: no folder, no control or direction characters that would make it look like another one. The content decides what it is. */
const cleanName = (filename: string): string => {
  const bare = filename
    .split(/[/\\]/)
    .at(-1)!
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '')
    .trim()
  if (!/[^.]/.test(bare.replace(/\.pdf$/i, ''))) throw Problem.field('filename', 'must be a name')
  const name = /\.pdf$/i.test(bare) ? bare : `${bare}.pdf`
  if (name.length > maxNameLength) throw Problem.field('filename', `must have at most ${maxNameLength} characters`)
  return name
}

/** Of the text; whole groups of four letters. */
const piece = 4 * 1024 * 1024

/**
 * Strict: what decodes and encodes to something else was damaged on the way, or is no Base64. Characters that mean nothing are left out by Node, so that
 * the length of each piece tells; only the last group can hold bits that are lost, and only the letters of the other alphabet are read as well.
 */
const decode = async (base64: string, othersTurn: RemoteTurn): Promise<Buffer> => {
  const bytes = Buffer.allocUnsafeSlow((base64.length / 4) * 3)
  let length = 0
  for (let from = 0; from < base64.length; from += piece) {
    const part = base64.slice(from, from + piece)
    const written = bytes.write(part, length, 'base64')
    const isWhole = part.length === Math.ceil(written / 3) * 4 && (written % 3 === 0 || from + piece >= base64.length)
    if (!isWhole || part.includes('-') || part.includes('_')) throw notBase64()
    length += written
    if (base64.length > piece) await othersTurn()
  }
  const decoded = bytes.subarray(0, length)
  const end = decoded.subarray(-(length % 3 || 3)).toString('base64')
  if (length === 0 || !base64.endsWith(end)) throw notBase64()
  if (length > maxFileBytes) throw new Problem('body_too_large', 'The file must have at most 10 MiB.')
  return decoded
}

const notBase64 = (): Problem => Problem.field('base64Content', 'must be Base64 with padding and without line breaks')
