import { parseNumber } from '#core/kernel/phone-numbers/phone-number.ts'
import type { CallGuidance, DescribableCall, Verb } from '#core/kernel/ports/calls.ts'
import { isPushUrl } from './change-push.ts'
import type { OutboundReply } from '#core/kernel/ports/outbound.ts'
import { SaxesParser } from 'saxes'

interface XmlElement {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: XmlElement[]
  /** Own text, without that of children. */
  text: string
}

/** The message is meant for the author of the document. */
class XmlRefused extends Error {
  override name = 'XmlRefused'
}

const refuse = (reason: string): never => {
  throw new XmlRefused(reason)
}

const maxElements = 50
const deepest = 8

/** Parses a small document. Supports only the five XML entities; rejects declarations and processing instructions. Throws XmlRefused. */
const readXml = (document: string): XmlElement => {
  const parser = new SaxesParser({ xmlns: false })
  const outside: XmlElement = { name: '', attributes: {}, children: [], text: '' }
  const open: XmlElement[] = [outside]
  let elements = 0
  const inner = (): XmlElement => open.at(-1) ?? outside
  parser.on('error', (error) => refuse(error.message))
  parser.on('doctype', () => refuse('a DOCTYPE is not allowed'))
  parser.on('processinginstruction', () => refuse('processing instructions are not allowed'))
  parser.on('opentag', ({ name, attributes }) => {
    if (++elements > maxElements) refuse(`there are more than ${maxElements} elements`)
    if (open.length > deepest) refuse(`elements are nested more than ${deepest} deep`)
    const element: XmlElement = { name, attributes, children: [], text: '' }
    inner().children.push(element)
    open.push(element)
  })
  parser.on('text', (text) => void (inner().text += text))
  parser.on('cdata', (text) => void (inner().text += text))
  parser.on('closetag', () => void open.pop())
  parser.write(document).close()
  return outside.children[0] ?? refuse('there is no element')
}

/** Context for reading: direction, and the country whose dialling format applies. */
export interface ReadFor {
  direction: DescribableCall['direction']
  country: string
}

type ReadResponse = { guidance: CallGuidance; xmlError?: never } | { guidance?: never; xmlError: string }

const maxNumbers = { in: 5, out: 1 }
const maxUrlLength = 2048
const maxErrorLength = 300
const gatherRanges = { maxDigits: { min: 1, most: 128, usual: 1 }, timeout: { min: 0, most: 60_000, usual: 2000 } }

/** Reads the webhook's response. Rejects anything outside the grammar as a whole: following half a response may be wrong. */
export const readResponse = (document: string, reader: ReadFor): ReadResponse => {
  try {
    return { guidance: guidanceOf(readXml(document), reader) }
  } catch (error) {
    if (error instanceof XmlRefused) return { xmlError: error.message.slice(0, maxErrorLength) }
    throw error
  }
}

const guidanceOf = (response: XmlElement, reader: ReadFor): CallGuidance => {
  if (response.name !== 'Response') refuse(`the outermost element must be <Response>, not ${shown(response)}`)
  const { onAnswer, onHangup } = attributesOf(response, ['onAnswer', 'onHangup'])
  requireNoText(response)
  if (response.children.length > 1) refuse('<Response> holds more than one verb')
  const [verb] = response.children
  return {
    verb: verb && verbOf(verb, reader),
    onAnswer: optionalUrl(onAnswer, 'onAnswer'),
    onHangup: optionalUrl(onHangup, 'onHangup'),
  }
}

const verbOf = (element: XmlElement, reader: ReadFor): Verb => {
  switch (element.name) {
    case 'Dial':
      return dial(element, reader)
    case 'Play':
      return { kind: 'play', url: playedUrl(element) }
    case 'Gather':
      return gather(element)
    case 'Reject':
      return { kind: 'reject', reason: rejectReason(element) }
    case 'Hangup':
      attributesOf(element, [])
      requireEmpty(element)
      return { kind: 'hangup' }
    default:
      return refuse(`${shown(element)} is not a verb; there are Dial, Play, Gather, Reject and Hangup`)
  }
}

/** A widely used client library writes `undefined` when the option is not set. */
const anonymousWords = new Set(['true', 'false', 'undefined'])

const dial = (element: XmlElement, { direction, country }: ReadFor): Verb => {
  const { callerId, anonymous = 'false' } = attributesOf(element, ['callerId', 'anonymous'])
  if (!anonymousWords.has(anonymous)) refuse('anonymous of <Dial> must be true or false')
  requireNoText(element)
  requireChildren(element, ['Number', 'Voicemail'])
  const [first, ...others] = element.children
  const targets = first?.name === 'Voicemail' ? { numbers: [], voicemail: true } : { numbers: dialled(element, country), voicemail: false }
  if (!first || (targets.voicemail && others.length > 0)) refuse('<Dial> must hold one or more <Number> or one <Voicemail/>')
  if (targets.voicemail && direction === 'out') refuse('<Voicemail/> is for incoming calls only')
  const max = maxNumbers[direction]
  if (targets.numbers.length > max) refuse(`<Dial> holds more than ${max} <Number>${direction === 'out' ? ' for an outgoing call' : ''}`)
  const shownNumber = callerId === undefined ? undefined : numberOf(callerId, 'callerId of <Dial>', country)
  return { kind: 'dial', ...targets, callerId: shownNumber, anonymous: anonymous === 'true' }
}

const dialled = (element: XmlElement, country: string): string[] =>
  element.children.map((child) => {
    if (child.name !== 'Number') refuse('<Dial> holds both <Number> and <Voicemail/>')
    attributesOf(child, [])
    requireChildren(child, [])
    return numberOf(child.text, '<Number>', country)
  })

const numberOf = (written: string, where: string, country: string): string =>
  parseNumber(written.trim(), country)?.e164 ?? refuse(`${where} is not a phone number that can be called: ${quoted(written)}`)

const playedUrl = (element: XmlElement): string => {
  attributesOf(element, [])
  requireNoText(element)
  requireChildren(element, ['Url'])
  const [url, ...others] = element.children
  if (!url || others.length > 0) return refuse('<Play> must hold one <Url>')
  attributesOf(url, [])
  requireChildren(url, [])
  return urlOf(url.text.trim(), '<Url>')
}

const gather = (element: XmlElement): Verb => {
  const { onData, maxDigits, timeout, type = 'dtmf' } = attributesOf(element, ['onData', 'maxDigits', 'timeout', 'type'])
  if (onData === undefined) return refuse('<Gather> lacks onData')
  if (type !== 'dtmf') refuse('type of <Gather> must be dtmf')
  requireNoText(element)
  requireChildren(element, ['Play'])
  const [play, ...others] = element.children
  if (others.length > 0) refuse('<Gather> holds more than one <Play>')
  return {
    kind: 'gather',
    onData: urlOf(onData, 'onData'),
    maxDigits: wholeNumber(maxDigits, 'maxDigits'),
    timeoutMs: wholeNumber(timeout, 'timeout'),
    play: play && playedUrl(play),
  }
}

const wholeNumber = (written: string | undefined, name: keyof typeof gatherRanges): number => {
  const { min, most: max, usual } = gatherRanges[name]
  if (written === undefined) return usual
  const value = /^\d{1,9}$/.test(written) ? Number(written) : -1
  return value >= min && value <= max ? value : refuse(`${name} of <Gather> must be a whole number from ${min} to ${max}`)
}

const rejectReason = (element: XmlElement): 'rejected' | 'busy' => {
  const { reason = 'rejected' } = attributesOf(element, ['reason'])
  requireEmpty(element)
  return reason === 'rejected' || reason === 'busy' ? reason : refuse('reason of <Reject> must be rejected or busy')
}

const optionalUrl = (url: string | undefined, name: string): string | undefined => (url === undefined ? undefined : urlOf(url, name))

const urlOf = (url: string, where: string): string =>
  isPushUrl(url) && url.length <= maxUrlLength ? url : refuse(`${where} must be an absolute http or https address without a fragment`)

const attributesOf = <Name extends string>(element: XmlElement, known: readonly Name[]): Partial<Record<Name, string>> => {
  for (const name of Object.keys(element.attributes))
    if (!(known as readonly string[]).includes(name)) refuse(`${shown(element)} has an unknown attribute ${quoted(name)}`)
  return element.attributes as Partial<Record<Name, string>>
}

const requireChildren = (element: XmlElement, known: readonly string[]): void => {
  for (const child of element.children) if (!known.includes(child.name)) refuse(`${shown(child)} cannot stand in ${shown(element)}`)
}

const requireNoText = (element: XmlElement): void => {
  if (element.text.trim() !== '') refuse(`${shown(element)} holds text: ${quoted(element.text.trim())}`)
}

const requireEmpty = (element: XmlElement): void => {
  requireChildren(element, [])
  requireNoText(element)
}

const shown = ({ name }: XmlElement): string => `<${name.slice(0, 40)}>`
const quoted = (text: string): string => JSON.stringify(text.slice(0, 40))

export interface ReadReply {
  /** Undefined: no usable instructions. */
  guidance?: CallGuidance
  xmlError: string | undefined
}

/** Reads the webhook's reply to newCall or dtmf. An empty reply of any type gives no instructions. */
export const readReply = ({ status, headers, body }: OutboundReply, reader: ReadFor): ReadReply => {
  if (status < 200 || status > 299) return { xmlError: undefined }
  const text = utf8(body)
  if (text === undefined) return { xmlError: 'the answer is not UTF-8' }
  if (text.trim() === '') return { xmlError: undefined }
  const type = headers['content-type'] ?? ''
  if (!isXml(type)) return { xmlError: `the content type must be application/xml, not ${JSON.stringify(type.slice(0, 100))}` }
  return { xmlError: undefined, ...readResponse(text, reader) }
}

/** Reply text for the log. */
export const replyText = ({ body }: OutboundReply): string => body.toString('utf8')

const isXml = (contentType: string): boolean => /^\s*(?:application|text)\/(?:[\w.-]+\+)?xml\s*(?:;|$)/i.test(contentType)

const utf8 = (body: Buffer): string | undefined => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    return undefined
  }
}
