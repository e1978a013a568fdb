import type { Params } from './params.ts'
import { formatParams, noParams, parseParams } from './params.ts'
import { closingQuote, malformed, quote, skipBlanks, splitList, unquote, unsendable } from './scan.ts'

export interface NameAddr {
  display: string
  /** As written, without angle brackets. */
  uri: string
  params: Params
}

/** The index of what ends the display name or the bare address: `<`, `;`, or the end. */
const plainPartEnd = (text: string, from: number): number => {
  for (let i = from; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === 60 || code === 59) return i
    if (code === 34 || code === 44 || code === 62) throw malformed('A display name has a character that needs quotes')
  }
  return text.length
}

const checkAddress = (uri: string): void => {
  for (let i = 0; i < uri.length; i++) {
    const code = uri.charCodeAt(i)
    if (code <= 32 || code === 34 || code === 60 || code === 127) throw malformed('An address has a character that it cannot have')
  }
  if (uri.indexOf(':') < 1) throw malformed('An address has no scheme')
}

const afterBracket = (text: string, open: number, display: string): NameAddr => {
  const close = text.indexOf('>', open)
  if (close < 0) throw malformed('An angle bracket is not closed')
  const uri = text.slice(open + 1, close)
  checkAddress(uri)
  return { display, uri, params: parseParams(text, close + 1) }
}

/** Without brackets everything after the semicolon belongs to the header, and the URI has no ? (RFC 3261 §20.10). */
const bareAddress = (text: string, from: number, end: number): NameAddr => {
  const uri = text.slice(from, end).trimEnd()
  checkAddress(uri)
  if (uri.includes('?')) throw malformed('An address with a question mark needs angle brackets')
  return { display: '', uri, params: parseParams(text, end) }
}

/** `"Anna" <sip:anna@example.org>;tag=1`, `Anna <…>`, `<…>`, `sip:anna@example.org;tag=1` or `*`. Throws SipError(400). */
export const parseNameAddr = (text: string): NameAddr => {
  const start = skipBlanks(text, 0)
  if (text.charCodeAt(start) === 34) {
    const close = closingQuote(text, start)
    const bracket = skipBlanks(text, close + 1)
    if (text.charCodeAt(bracket) !== 60) throw malformed('A display name is not followed by an address')
    return afterBracket(text, bracket, unquote(text, start, close))
  }
  const end = plainPartEnd(text, start)
  if (text.charCodeAt(end) === 60) return afterBracket(text, end, text.slice(start, end).trimEnd())
  if (text.trim() === '*') return { display: '', uri: '*', params: noParams }
  return bareAddress(text, start, end)
}

/** All values of all lines of one header: Contact, Route, P-Asserted-Identity, Diversion … */
export const parseNameAddrs = (lines: readonly string[]): NameAddr[] => {
  const elements: string[] = []
  for (const line of lines) splitList(line, elements)
  return elements.map(parseNameAddr)
}

export interface NameAddrDraft {
  display?: string
  uri: string
  params?: Params | Readonly<Record<string, string | undefined>>
}

export const formatNameAddr = ({ display, uri, params }: NameAddrDraft): string => {
  try {
    if (uri.includes('>')) throw malformed('')
    checkAddress(uri)
  } catch {
    throw unsendable('An address cannot be put between angle brackets')
  }
  const name = display === undefined || display === '' ? '' : `${quote(display)} `
  return `${name}<${uri}>${params === undefined ? '' : formatParams(params)}`
}
