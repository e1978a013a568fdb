import { Problem } from '@offhook/contract/problem.ts'
import type { DocumentKind } from '#core/kernel/ports/document/document-reader.ts'
import { isWebAddress } from '#core/kernel/webhook/web-address.ts'

const maxBytes = 20 * 1024 * 1024
const maxNameLength = 200

export interface DocumentInput {
  name?: string | undefined
  kind?: DocumentKind | undefined
  text?: string | undefined
  base64?: string | undefined
  url?: string | undefined
}

export interface WishedDocument {
  name: string
  kind: DocumentKind
  url: string | undefined
  /** Empty when it has to be read at the address. */
  content: Buffer
}

/** One of `text`, `base64` and `url`; what kind it is is seen, unless it is said. */
export const readDocument = ({ name, kind, text, base64, url }: DocumentInput): WishedDocument => {
  const given = Object.entries({ text, base64, url }).filter(([, value]) => value !== undefined)
  if (given.length !== 1) throw Problem.field('text', 'or base64 or url is required: exactly one of them')
  if (url !== undefined) {
    if (!isWebAddress(url)) throw Problem.field('url', 'must be an address with http or https, without a password')
    return { name: (name ?? url).slice(0, maxNameLength), kind: kind ?? 'html', url, content: Buffer.alloc(0) }
  }
  const content = base64 === undefined ? Buffer.from(text ?? '') : fileOf(base64)
  const seen = kind ?? kindOf(content, name)
  if (seen === 'pdf' && base64 === undefined) throw Problem.field('text', 'cannot be a PDF: send the file as base64')
  return { name: name ?? firstLine(content, seen), kind: seen, url: undefined, content }
}

const fileOf = (base64: string): Buffer => {
  const content = Buffer.from(base64, 'base64')
  if (content.length === 0 || /[^A-Za-z0-9+/=\s]/.test(base64)) throw Problem.field('base64', 'is no Base64')
  if (content.length > maxBytes) throw Problem.field('base64', 'is larger than 20 MB')
  return content
}

/** By its beginning, else by its name. */
const kindOf = (content: Buffer, name = ''): DocumentKind => {
  const beginning = content.subarray(0, 2_000).toString()
  if (beginning.includes('%PDF-')) return 'pdf'
  if (/^\s*(?:<!doctype html|<html)/i.test(beginning) || /\.html?$/i.test(name)) return 'html'
  return /^#{1,6} /m.test(beginning) || /\.(?:md|markdown)$/i.test(name) ? 'markdown' : 'text'
}

const firstLine = (content: Buffer, kind: DocumentKind): string => {
  if (kind === 'pdf') return 'PDF'
  const words = content
    .subarray(0, 1_000)
    .toString()
    .replaceAll(/<[^>]*>|^#+ /gm, ' ')
  return words.trim().split('\n')[0]?.trim().slice(0, 80) || 'Text'
}
