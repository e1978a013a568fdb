import { limits, elementEnd, malformed, parseNumber, skipBlanks, skipToken, splitList, SipError } from '../grammar/scan.ts'
import { type NameAddr, type Via, parseVia, parseNameAddr, parseNameAddrs } from '../grammar/headers.ts'
import { parseUri } from '../grammar/uri.ts'
import type { SipUri } from '../grammar/uri.ts'

const maxCSeq = 2 ** 31 - 1
const nothing = new Uint8Array(0)

export interface StartLine {
  kind: 'request' | 'response'
  method: string
  uri: string
  status: number
  reason: string
}

const parseCSeq = (text: string): { number: number; method: string } => {
  let digits = 0
  while (digits < text.length && text.charCodeAt(digits) > 32) digits++
  const number = parseNumber(text.slice(0, digits), maxCSeq, 'CSeq')
  const start = skipBlanks(text, digits)
  const end = skipToken(text, start)
  if (start === digits || start === end || end !== text.length) throw malformed('CSeq has no proper method')
  return { number, method: text.slice(start, end) }
}

/** A received message. Values are parsed lazily, once. */
export class ReceivedMessage {
  readonly kind: 'request' | 'response'
  readonly method: string
  readonly uri: string
  readonly status: number
  readonly reason: string
  body: Uint8Array = nothing
  readonly #names: readonly string[]
  readonly #values: readonly string[]
  #target: SipUri | undefined
  #from: NameAddr | undefined
  #to: NameAddr | undefined
  #via: Via | undefined
  #cseq: { number: number; method: string } | undefined
  #contacts: readonly NameAddr[] | undefined

  constructor(start: StartLine, names: readonly string[], values: readonly string[]) {
    this.kind = start.kind
    this.method = start.method
    this.uri = start.uri
    this.status = start.status
    this.reason = start.reason
    this.#names = names
    this.#values = values
  }

  header(name: string): string | undefined {
    const index = this.#names.indexOf(name)
    return index < 0 ? undefined : this.#values[index]
  }

  lines(name: string): readonly string[] {
    const found: string[] = []
    for (let i = this.#names.indexOf(name); i >= 0; i = this.#names.indexOf(name, i + 1)) found.push(this.#values[i]!)
    return found
  }

  list(name: string): string[] {
    const elements: string[] = []
    for (const line of this.lines(name)) splitList(line, elements)
    return elements
  }

  get target(): SipUri {
    return (this.#target ??= parseUri(this.uri))
  }

  get callId(): string {
    return this.#needed('call-id')
  }

  get from(): NameAddr {
    return (this.#from ??= parseNameAddr(this.#needed('from')))
  }

  get to(): NameAddr {
    return (this.#to ??= parseNameAddr(this.#needed('to')))
  }

  get fromTag(): string | undefined {
    return this.from.params['tag']
  }

  get toTag(): string | undefined {
    return this.to.params['tag']
  }

  get cseq(): { number: number; method: string } {
    return (this.#cseq ??= parseCSeq(this.#needed('cseq')))
  }

  get via(): Via {
    if (this.#via !== undefined) return this.#via
    const line = this.#needed('via')
    return (this.#via = parseVia(line.includes(',') ? line.slice(0, elementEnd(line, 0)) : line))
  }

  get contacts(): readonly NameAddr[] {
    return (this.#contacts ??= parseNameAddrs(this.lines('contact')))
  }

  #needed(name: string): string {
    const value = this.header(name)
    if (value === undefined || value === '') throw malformed(`${name} is missing`)
    return value
  }
}

const checkCallId = (callId: string): void => {
  for (let i = 0; i < callId.length; i++) if (callId.charCodeAt(i) <= 32) throw malformed('Call-ID has blanks')
}

const checkVias = (message: ReceivedMessage): void => {
  let count = 0
  for (const line of message.lines('via')) {
    count++
    if (!line.includes(',')) continue
    for (let end = elementEnd(line, 0); end < line.length; end = elementEnd(line, end + 1)) count++
  }
  if (count > limits.vias) throw new SipError(483, 'Too many Via values')
}

const checkNumber = (message: ReceivedMessage, name: string, max: number): void => {
  const value = message.header(name)
  if (value !== undefined) parseNumber(value, max, name)
}

const checkRequest = (message: ReceivedMessage): void => {
  if (message.method !== message.cseq.method) throw malformed('CSeq has another method than the request line')
  // RFC 3261 §19.1.1: URI headers serve to build a request and are invalid in a Request-URI.
  if (Object.keys(message.target.headers).length > 0) throw malformed('The Request-URI has headers')
  checkNumber(message, 'max-forwards', 255)
}

/** Validates the headers that every receiver reads; afterwards their getters do not throw. */
export const checkMessage = (message: ReceivedMessage): void => {
  checkCallId(message.callId)
  void message.via
  void message.from
  void message.to
  void message.cseq
  void message.contacts
  checkVias(message)
  checkNumber(message, 'expires', 2 ** 32 - 1)
  if (message.kind === 'request') checkRequest(message)
}
