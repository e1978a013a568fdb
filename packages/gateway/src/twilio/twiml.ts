import type { GatherRequest } from '../gathering.ts'
import { SaxesParser } from 'saxes'

/** Output for the caller. */
export type Prompt =
  | { verb: 'say'; text?: string; ssml?: string; language?: string; loop: number }
  | { verb: 'play'; url: string; loop: number }
  | { verb: 'keys'; digits: string }
  | { verb: 'pause'; seconds: number }

export interface Gather extends GatherRequest {
  verb: 'gather'
  prompts: Prompt[]
  action?: string
  method: Method
  language?: string
  hints: string[]
  actionOnEmptyResult: boolean
  bargeIn: boolean
}

export type Method = 'GET' | 'POST'

export type Verb =
  | Prompt
  | Gather
  | { verb: 'dial'; target: string; callerId?: string; action?: string; method: Method }
  | { verb: 'redirect'; url: string; method: Method }
  | { verb: 'relay'; relay: XmlElement; action?: string; method: Method }
  | { verb: 'hangup' }
  | { verb: 'unknown'; problem: string }

export const isPrompt = (verb: Verb): verb is Prompt => ['say', 'play', 'keys', 'pause'].includes(verb.verb)

/** Verbs of a server's answer. Throws XmlRefused with a reason for its author. */
export const readTwiml = (document: string): Verb[] => {
  const response = readXml(document)
  if (response.name !== 'Response') throw new XmlRefused(`TwiML begins with <Response>, and this with <${response.name}>`)
  return childrenOf(response).map(readVerb)
}

const readVerb = (element: XmlElement): Verb => {
  const prompt = readPrompt(element)
  if (prompt) return prompt
  const { name, attributes } = element
  const { action } = attributes
  const method = methodOf(attributes.method)
  if (name === 'Gather') return readGather(element)
  if (name === 'Dial') return readDial(element)
  if (name === 'Redirect') return { verb: 'redirect', url: textOf(element).trim(), method }
  if (name === 'Hangup' || name === 'Reject') return { verb: 'hangup' }
  if (name !== 'Connect') return { verb: 'unknown', problem: `<${name}> is not supported and was passed over` }
  const relay = childrenOf(element).find((child) => child.name === 'ConversationRelay')
  if (relay) return { verb: 'relay', relay, method, ...(action !== undefined && { action }) }
  const inside = childrenOf(element).map((child) => `<${child.name}>`)
  return { verb: 'unknown', problem: `<Connect> with ${inside.join(', ') || 'nothing'} in it is not supported and was passed over` }
}

const readPrompt = (element: XmlElement): Prompt | undefined => {
  const { name, attributes } = element
  if (name === 'Say') return readSay(element)
  if (name === 'Pause') return { verb: 'pause', seconds: whole(attributes.length, 1, 0, 3600) }
  if (name !== 'Play') return undefined
  const { digits } = attributes
  if (digits !== undefined) return { verb: 'keys', digits }
  return { verb: 'play', url: textOf(element).trim(), loop: loopOf(attributes.loop) }
}

const readSay = (element: XmlElement): Prompt => {
  const { language, loop } = element.attributes
  const words = childrenOf(element).length > 0 ? { ssml: `<speak>${innerXml(element)}</speak>` } : { text: oneLine(textOf(element)) }
  return { verb: 'say', ...words, ...(language !== undefined && { language }), loop: loopOf(loop) }
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()

const readGather = (element: XmlElement): Gather => {
  const { input = 'dtmf', action, method, numDigits, finishOnKey = '#', language, hints = '', timeout, ...rest } = element.attributes
  const kinds = input.split(/\s+/)
  return {
    verb: 'gather',
    prompts: childrenOf(element).flatMap((child) => readPrompt(child) ?? []),
    speech: kinds.includes('speech'),
    keys: kinds.includes('dtmf'),
    ...(action !== undefined && { action }),
    method: methodOf(method),
    timeoutSeconds: whole(timeout, 5, 1, 3600),
    ...(numDigits !== undefined && { digits: whole(numDigits, 1, 1, 1000) }),
    finishOnKey,
    ...(language !== undefined && { language }),
    hints: hints
      .split(',')
      .map((hint) => hint.trim())
      .filter((hint) => hint !== '' && hint.length <= 200)
      .slice(0, 100),
    actionOnEmptyResult: rest.actionOnEmptyResult === 'true',
    bargeIn: rest.bargeIn !== 'false',
  }
}

/** Takes the first callable target. */
const readDial = (element: XmlElement): Verb => {
  const { callerId, action, method } = element.attributes
  const nouns = childrenOf(element)
  const noun = nouns.find(({ name }) => name === 'Number' || name === 'Client')
  const target = oneLine(noun ? textOf(noun) : nouns.length === 0 ? textOf(element) : '')
  if (target === '')
    return {
      verb: 'unknown',
      problem: `<Dial> with ${nouns.map(({ name }) => `<${name}>`).join(', ') || 'nothing'} is not supported and was passed over`,
    }
  const fields = { ...(callerId !== undefined && { callerId }), ...(action !== undefined && { action }), method: methodOf(method) }
  return { verb: 'dial', target, ...fields }
}

const methodOf = (method: string | undefined): Method => (method?.toUpperCase() === 'GET' ? 'GET' : 'POST')

const maxLoop = 20

/** 0 means unlimited, capped at `maxLoop`. */
const loopOf = (loop: string | undefined): number => whole(loop, 1, 0, maxLoop) || maxLoop

const whole = (text: string | undefined, missing: number, min: number, max: number): number => {
  const value = Number(text ?? missing)
  return Number.isFinite(value) ? Math.min(Math.max(Math.floor(value), min), max) : missing
}

export interface XmlElement {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  /** Text and elements in document order. */
  readonly content: (XmlElement | string)[]
}

/** An invalid document; the message is for its author. */
export class XmlRefused extends Error {
  override name = 'XmlRefused'
}

const maxElements = 500
const deepest = 16
/** Characters; Twilio's limit. */
const maxLength = 64 * 1024

const refuse = (reason: string): never => {
  throw new XmlRefused(reason)
}

/** Parses a small document. Supports only the five XML entities; rejects a DOCTYPE. Throws XmlRefused. */
const readXml = (document: string): XmlElement => {
  if (document.length > maxLength) refuse(`it has more than ${maxLength} characters`)
  const parser = new SaxesParser({ xmlns: false })
  const outside: XmlElement = { name: '', attributes: {}, content: [] }
  const open: XmlElement[] = [outside]
  let elements = 0
  const inner = (): XmlElement => open.at(-1) ?? outside
  parser.on('error', (error) => refuse(error.message))
  parser.on('doctype', () => refuse('a DOCTYPE is not allowed'))
  parser.on('opentag', ({ name, attributes }) => {
    if (++elements > maxElements) refuse(`there are more than ${maxElements} elements`)
    if (open.length > deepest) refuse(`elements are nested more than ${deepest} deep`)
    const element: XmlElement = { name, attributes, content: [] }
    inner().content.push(element)
    open.push(element)
  })
  parser.on('text', (text) => void inner().content.push(text))
  parser.on('cdata', (text) => void inner().content.push(text))
  parser.on('closetag', () => void open.pop())
  parser.write(document.trim()).close()
  return childrenOf(outside)[0] ?? refuse('there is no element')
}

export const childrenOf = ({ content }: XmlElement): XmlElement[] => content.filter((node) => typeof node !== 'string')

/** All text content, joined. */
const textOf = ({ content }: XmlElement): string => content.map((node) => (typeof node === 'string' ? node : textOf(node))).join('')

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** The content serialised as XML. */
const innerXml = ({ content }: XmlElement): string =>
  content
    .map((node) => {
      if (typeof node === 'string') return escaped(node)
      const attributes = Object.entries(node.attributes).map(([name, value]) => ` ${name}="${escaped(value)}"`)
      return `<${node.name}${attributes.join('')}>${innerXml(node)}</${node.name}>`
    })
    .join('')
