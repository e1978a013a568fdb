import type { Endpoint, EndpointConnection } from '../simulate/endpoint-line.ts'
import { webhookSignature } from '../webhook-signature.ts'
import { reasonOf, Unreachable } from './unreachable.ts'

export interface WebhookOptions {
  /** The flow's secret (`whsec_…`): events are signed with it, as the service does it. */
  secret?: string | undefined
  /** The flow's key. */
  apiKey?: string | undefined
  /** How long an answer is waited for. Default: 10 seconds. */
  timeoutMs?: number
  fetch?: typeof fetch
}

/** What of an event stands in headers, too. */
interface Framed {
  event_id: string
  sequence: number
  turn: number
  type: string
}

/** What frameworks write when a program sets nothing but the status: it means that there is nothing to do. */
const merePhrase = /^(ok|created|accepted|no content)?$/i
/** Of use only in the moment that they happen: not sent over a webhook. */
const passing = ['user_speech_started', 'user_speak_partial']

/** An endpoint at an address: gets events as requests, one after the other, and answers with actions. */
export const webhookEndpoint = (url: string, options: WebhookOptions = {}): Endpoint<unknown> => ({
  connect(send, _given, leave = () => {}): EndpointConnection {
    let last: Promise<void> = Promise.resolve()
    const over = new AbortController()
    const post = async (frame: string): Promise<void> => {
      const event = JSON.parse(frame) as Framed
      if (over.signal.aborted || passing.includes(event.type)) return
      try {
        send(withTurn(await answerOf(url, event, options), event.turn))
      } catch (error) {
        leave(error as Error)
        over.abort()
      }
    }
    return {
      receive: (frame) => void (last = last.then(() => post(frame))),
      idle: () => last,
      close: () => over.abort(),
    }
  },
})

/** The text of the answer. Rejects when there is nobody. */
const answerOf = async (url: string, event: Framed, { secret, apiKey, timeoutMs = 10_000, fetch: ask = fetch }: WebhookOptions) => {
  const { event_id: id, sequence, turn, ...body } = event
  const text = JSON.stringify(body)
  const timestamp = String(Math.floor(Date.now() / 1000))
  const headers = {
    'content-type': 'application/json',
    'x-event-id': id,
    'x-offhook-sequence': String(sequence),
    'x-offhook-turn': String(turn),
    'webhook-id': id,
    ...(secret !== undefined && {
      'webhook-timestamp': timestamp,
      'webhook-signature': webhookSignature(secret, { id, timestamp, body: text }),
    }),
    ...(apiKey !== undefined && { 'x-api-key': apiKey, 'x-api-token': apiKey }),
  }
  const signal = AbortSignal.timeout(timeoutMs)
  const response = await ask(url, { method: 'POST', headers, body: text, redirect: 'manual', signal }).catch((error: Error) => {
    if (error.name === 'TimeoutError') return undefined
    throw new Unreachable(url, reasonOf(error))
  })
  if (!response) return `nothing came within ${timeoutMs} ms`
  const answer = await response.text()
  return response.ok ? answer : `status ${response.status}`
}

/** Actions of a webhook belong to the turn of the event that they answer, and are complete. */
const withTurn = (answer: string, turn: number): string => {
  if (merePhrase.test(answer.trim())) return '[]'
  try {
    const actions = [JSON.parse(answer) as Record<string, unknown>].flat()
    return JSON.stringify(actions.map((action) => ({ ...action, turn })))
  } catch {
    return answer
  }
}
