import type { Exchange, Message } from '#core/kernel/ports/assistant/endpoint.ts'
import type { TimelineEntryOf } from '@offhook/contract/v2/timeline.ts'
import type { Delivery } from '#core/kernel/ports/store/assistant/deliveries.ts'
import type { TimelineEvent } from './noted.ts'

/** Of each body. */
const maxShown = 64 * 1024

/** Signatures are shown: they can be checked, but not be made with what is seen. */
const secretHeaders = new Set(['x-api-key', 'x-api-token', 'authorization', 'proxy-authorization', 'cookie', 'set-cookie'])

/** One attempt to tell an endpoint something, as it is noted in the timeline. What the delivery log leaves out is here. */
export const attemptOf = (delivery: Delivery, exchange: Exchange | undefined): TimelineEvent => {
  const { eventId, attempt, channel, durationMs, state, error } = delivery
  const { url, request, response } = exchange ?? {}
  return {
    kind: 'attempt',
    eventId,
    attempt,
    channel,
    ...(url !== undefined && { url }),
    ...(request && { request: shown(request) }),
    ...(response && { response: { ...(response.status !== undefined && { status: response.status }), ...shown(response) } }),
    durationMs: Math.round(durationMs),
    state,
    ...(error !== undefined && { error }),
  }
}

/** What an endpoint says over its WebSocket, as it came. */
export const messageOf = (eventId: string, message: Buffer): TimelineEvent => {
  const { headers: _none, ...body } = shown({ headers: {}, body: message })
  return { kind: 'message', eventId, ...body }
}

export type Shown = NonNullable<TimelineEntryOf<'attempt'>['request']>

/** For the account's own eyes. */
export const shown = ({ headers, body }: Message): Shown => ({
  headers: masked(headers),
  body: typeof body === 'string' ? body.slice(0, maxShown) : body.subarray(0, maxShown).toString(),
  bodyBytes: Buffer.byteLength(body),
  ...(body.length > maxShown && { cut: true }),
})

const masked = (headers: Message['headers']): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, secretHeaders.has(name.toLowerCase()) ? '***' : value]))
