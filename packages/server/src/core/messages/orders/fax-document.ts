import { Problem } from '@offhook/contract/problem.ts'
import { countingPdfPages, isPdf } from '#core/money/pdf-pages.ts'

const maxFileBytes = 10 * 1024 * 1024
export const maxPages = 200
const maxNameLength = 255
/** Bytes up to which a document does not block the event loop noticeably. */
const small = 64 * 1024

interface FaxDocument {
  filename: string
  pdf: Uint8Array
  /** Visible pages without rendering: pages may be behind encryption that needs no key, and some may have been removed. */
  pages: number
}

/** Yields to the event loop while reading a large document. */
export type RemoteTurn = () => Promise<unknown>

/** Decodes the upload and checks that it is a PDF. The printer decides whether it can be faxed. */
export const readDocument = async (filename: string, base64Content: string, othersTurn: RemoteTurn): Promise<FaxDocument> => {
  const name = cleanName(filename)
  const pdf = await decode(base64Content, othersTurn)
  if (!isPdf(pdf)) throw Problem.field('base64Content', 'must be a PDF, whole from %PDF- to %%EOF')
  const pages = Math.min((await countPages(pdf, othersTurn)) ?? 1, maxPages)
  return { filename: name, pdf, pages }
}

const countPages = async (pdf: Uint8Array, othersTurn: RemoteTurn): Promise<number | undefined> => {
  const counting = countingPdfPages(pdf)
  for (;;) {
    const { done, value } = counting.next()
    if (done === true) return value
    if (pdf.length > small) await othersTurn()
  }
}

/** File name without folder and without control or direction characters that would disguise it. The content decides the type. */
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

/** Characters per chunk. */
const piece = 1024 * 1024

/**
 * Line breaks and blanks are skipped (RFC 2045). The rest is strict: text that does not re-encode to itself is rejected, because it was damaged or
 * is not Base64. Node skips invalid characters, so the length of each chunk reveals them; only the last group can hold lost bits, and only the
 * characters of base64url are accepted by Node as well.
 */
const decode = async (base64: string, othersTurn: RemoteTurn): Promise<Buffer> => {
  const bytes = Buffer.allocUnsafeSlow(Math.ceil(base64.length / 4) * 3)
  let length = 0
  let rest = ''
  let last = ''
  for (let from = 0; from < base64.length; from += piece) {
    const part = base64.slice(from, from + piece)
    const letters = rest + (/[\r\n\t ]/.test(part) ? part.replaceAll(/[\r\n\t ]+/g, '') : part)
    const isLast = from + piece >= base64.length
    const groups = isLast ? letters : letters.slice(0, letters.length - (letters.length % 4))
    rest = letters.slice(groups.length)
    const written = bytes.write(groups, length, 'base64')
    if (groups.length !== Math.ceil(written / 3) * 4 || /[-_]/.test(groups) || (length % 3 !== 0 && groups !== '')) throw notBase64()
    length += written
    if (groups !== '') last = groups.slice(-4)
    if (base64.length > piece) await othersTurn()
  }
  const decoded = bytes.subarray(0, length)
  if (length === 0 || last !== decoded.subarray(-(length % 3 || 3)).toString('base64')) throw notBase64()
  if (length > maxFileBytes) throw new Problem('body_too_large', 'The file must have at most 10 MiB.')
  return decoded
}

const notBase64 = (): Problem => Problem.field('base64Content', 'must be Base64 with padding')
