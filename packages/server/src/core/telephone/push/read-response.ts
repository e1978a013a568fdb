import { parseNumber } from '#core/kernel/phone-numbers/phone-number.ts'
import type { CallGuidance, DescribableCall, Verb } from '#core/kernel/ports/call-guide.ts'
import { isPushUrl } from './push-url.ts'
import { readXml, refuse, XmlRefused, type XmlElement } from './xml-tree.ts'

/** For whom it is read: numbers are those that are dialled in its country. */
export interface ReadFor {
  direction: DescribableCall['direction']
  country: string
}

export type ReadResponse = { guidance: CallGuidance; xmlError?: never } | { guidance?: never; xmlError: string }

const maxNumbers = { in: 5, out: 1 }
const maxUrlLength = 2048
const maxErrorLength = 300
const gatherRanges = { maxDigits: { min: 1, most: 128, usual: 1 }, timeout: { min: 0, most: 60_000, usual: 2000 } }

/** What the account's software answered. Anything outside of the grammar is refused as a whole: half of a wish may be the wrong half. */
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

/** The last is what a much used client library writes for a wish that it was not told. */
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
