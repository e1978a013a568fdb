import type { ActionProblem } from '#core/kernel/ports/store/assistant/deliveries.ts'
import type { Action } from '@offhook/contract/assistant/actions.ts'
import type { EndpointReply } from '#core/kernel/ports/assistant/endpoint.ts'
import { readAction } from './read-action.ts'

/** Limit of a reply, decoded. */
export const maxReplyBytes = 4 * 1024 * 1024
/** Limit of a reply without the sounds in it. */
const maxWithoutSoundBytes = 64 * 1024
const maxActions = 16

const nothing: EndpointReply = { actions: [], problems: [] }

/** Reads the reply of an endpoint. Never throws, and never repeats its content in a problem. */
export const readEndpointReply = (bytes: Buffer, sessionId: string): EndpointReply => {
  if (bytes.length > maxReplyBytes) return refusedReply(`the answer is larger than ${maxReplyBytes} bytes`)
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '')
  if (text.trim() === '') return nothing
  if (bytes.length > maxWithoutSoundBytes && !text.includes('"audio"')) return tooLarge
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return plainPhrase.test(text.trim()) ? noted : refusedReply('the answer is not JSON')
  }
  if (bytes.length - soundBytes(value) > maxWithoutSoundBytes) return tooLarge
  return readValue(value, sessionId)
}

/** Nothing of it can be done; `message` says why. */
export const refusedReply = (message: string): EndpointReply => ({ actions: [], problems: [{ index: -1, message }], refused: message })

const tooLarge = refusedReply(`the answer is larger than ${maxWithoutSoundBytes} bytes without its sounds`)

/** What frameworks write when a program sets nothing but the status: it means that there is nothing to do. */
const plainPhrase = /^(ok|created|accepted|no content)$/i
const noted: EndpointReply = { actions: [], problems: [{ index: -1, message: 'the answer is not JSON' }] }

const readValue = (value: unknown, sessionId: string): EndpointReply => {
  const list = Array.isArray(value) ? (value as unknown[]) : [value]
  const actions: Action[] = []
  const problems: ActionProblem[] = []
  let foreign = 0
  for (const [index, one] of list.slice(0, maxActions).entries()) {
    const read = readAction(one, sessionId)
    if (read.foreign) foreign++
    if (read.action) actions.push(read.action)
    for (const message of read.problems) problems.push({ index, ...(read.type !== undefined && { type: read.type }), message })
  }
  if (list.length > maxActions)
    problems.push({ index: maxActions, message: `only the first ${maxActions} of ${list.length} actions are done` })
  const isForeign = foreign > 0 && actions.length === 0
  return { actions, problems, ...(isForeign && { refused: 'session_id is that of another session' }) }
}

/** Only sounds may be long; anything else that is long is a mistake or an attack. */
const soundBytes = (value: unknown): number => {
  const list = Array.isArray(value) ? (value as unknown[]) : [value]
  let bytes = 0
  for (const one of list.slice(0, maxActions)) {
    if (typeof one !== 'object' || one === null || !('audio' in one) || !('type' in one)) continue
    if ((one.type === 'audio' || one.type === 'mix_audio') && typeof one.audio === 'string') bytes += one.audio.length
  }
  return bytes
}
