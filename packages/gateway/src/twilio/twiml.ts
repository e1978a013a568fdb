import type { GatherRequest } from '../gathering.ts'
import { childrenOf, innerXml, readXml, textOf, XmlRefused, type XmlElement } from './xml.ts'

/** Something the caller hears. */
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

/** What a server answered, verb by verb. Throws XmlRefused with a reason for its author. */
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

/** One target: the first that can be called. */
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

/** 0 is for ever, which is a long time. */
const loopOf = (loop: string | undefined): number => whole(loop, 1, 0, maxLoop) || maxLoop

const whole = (text: string | undefined, missing: number, min: number, max: number): number => {
  const value = Number(text ?? missing)
  return Number.isFinite(value) ? Math.min(Math.max(Math.floor(value), min), max) : missing
}
