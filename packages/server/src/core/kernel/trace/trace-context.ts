import { hash } from 'node:crypto'
import type { IncomingTrace } from './tracer.ts'

export interface TraceParent {
  traceId: string
  spanId: string
  sampled: boolean
}

const form = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/
/** As long as everybody has to pass on, and nothing but what may stand in it. */
const passable = /^[\x20-\x7e]{1,512}$/

/** Undefined when it makes no sense: then it is as if nothing had been sent. */
export const readTraceparent = (text: string): TraceParent | undefined => {
  const [, traceId, spanId, flags = '', more] = form.exec(text) ?? []
  if (traceId === undefined || spanId === undefined || (more !== undefined && text.startsWith('00'))) return undefined
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

/** What the headers of a request say. */
export const incomingTrace = (headers: Readonly<Record<string, unknown>>): IncomingTrace | undefined => {
  const { traceparent, tracestate } = headers
  if (typeof traceparent !== 'string' || !readTraceparent(traceparent)) return undefined
  const passedOn = typeof tracestate === 'string' && passable.test(tracestate)
  return { traceparent, ...(passedOn && { tracestate }) }
}

/** A call has a trace of its own, named after it so that one leads to the other, unless the one who ordered it has one. */
export const traceIdOf = (callId: string, incoming?: IncomingTrace): string => {
  const theirs = incoming && readTraceparent(incoming.traceparent)
  if (theirs) return theirs.traceId
  const plain = callId.replaceAll('-', '').toLowerCase()
  return /^(?=.*[1-9a-f])[\da-f]{32}$/.test(plain) ? plain : digest(callId).slice(0, 32)
}

/** Names that every process finds for itself: a call that changes hands keeps its trace, and nothing has to be handed over for it. */
export const spanIdOf = (name: string): string => digest(name).slice(0, 16)

/** The span of a whole call. */
export const callSpanId = (callId: string): string => spanIdOf(callId)

/** Of a turn of the caller; 0: until the assistant has greeted. */
export const turnSpanId = (callId: string, turn: number): string => spanIdOf(`${callId} turn ${turn}`)

/** Of one attempt to tell an endpoint something. */
export const attemptSpanId = (eventId: string, { channel, attempt }: { channel: string; attempt: number }): string =>
  spanIdOf(channel === 'webhook' && attempt === 1 ? eventId : `${eventId} ${channel} ${attempt}`)

/** What goes out with a request, so that those who are asked can go on with the trace. */
export const traceHeaders = (
  traceId: string,
  spanId: string,
  sampled: boolean,
  incoming?: IncomingTrace,
): IncomingTrace & Record<string, string> => ({
  traceparent: `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`,
  ...(incoming?.tracestate !== undefined && { tracestate: incoming.tracestate }),
})

const digest = (text: string): string => hash('sha256', text)
