import { Problem } from '@offhook/contract/problem.ts'
import { countPdfPages, isPdf } from '#core/money/pdf-pages.ts'

export const largestFile = 10 * 1024 * 1024
export const mostPages = 200
const longestName = 255

export interface FaxDocument {
  filename: string
  pdf: Uint8Array
  /** As far as can be seen without printing it: pages may hide behind a lock that needs no key, and some may have been taken out. */
  pages: number
}

/** The uploaded document, if it looks as if it could be faxed. The printer decides. */
export const readDocument = (filename: string, base64Content: string): FaxDocument => {
  const name = cleanName(filename)
  const pdf = decode(base64Content)
  if (!isPdf(pdf)) throw Problem.field('base64Content', 'must be a PDF, whole from %PDF- to %%EOF')
  return { filename: name, pdf, pages: Math.min(countPdfPages(pdf) ?? 1, mostPages) }
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
  if (name.length > longestName) throw Problem.field('filename', `must have at most ${longestName} characters`)
  return name
}

/**
 * Strict: what decodes and encodes to something else was damaged on the way, or is no Base64. Characters that mean nothing are left out by Node, so that
 * the length tells; only the last group can hold bits that are lost, and only the letters of the other alphabet are read as well.
 */
const decode = (base64: string): Buffer => {
  const bytes = Buffer.from(base64, 'base64')
  const end = bytes.subarray(-(bytes.length % 3 || 3)).toString('base64')
  const isStrict =
    base64.length === Math.ceil(bytes.length / 3) * 4 && base64.endsWith(end) && !base64.includes('-') && !base64.includes('_')
  if (bytes.length === 0 || !isStrict) throw Problem.field('base64Content', 'must be Base64 with padding and without line breaks')
  if (bytes.length > largestFile) throw new Problem('body_too_large', 'The file must have at most 10 MiB.')
  return bytes
}
