import { hash, randomBytes } from 'node:crypto'

/** Never transcripts, phone numbers or secrets: traces leave the machine. Undefined values are omitted. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>

/** Event within a span. */
export interface SpanEvent {
  name: string
  /** Milliseconds since the epoch. */
  at: number
  attributes?: SpanAttributes
}

/** Completed span. */
export interface Span {
  /** 32 hexadecimal digits. */
  traceId: string
  /** 16 hexadecimal digits. */
  spanId: string
  parentId?: string | undefined
  name: string
  /** server: inbound request; client: outbound request; internal: neither. */
  kind: 'internal' | 'server' | 'client'
  /** Milliseconds since the epoch. */
  startedAt: number
  endedAt: number
  attributes: SpanAttributes
  events?: readonly SpanEvent[]
  /** Error code of ours or of the protocol. */
  error?: string | undefined
}

/** Exports the spans of calls. Absent unless the operator enables tracing. */
export interface Tracer {
  /** Sampling decision, the same for all spans of a trace. `asked`: the originator's sampled flag. */
  samples(traceId: string, asked: boolean | undefined): boolean
  /** Cheap and never fails. */
  notify(span: Span): void
}

/** Trace context sent by the originator (W3C Trace Context): our spans belong to that trace. */
export interface IncomingTrace {
  traceparent: string
  tracestate?: string
}

interface TraceParent {
  traceId: string
  spanId: string
  sampled: boolean
}

const form = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/
/** Length that must be passed on, and the allowed characters (W3C Trace Context). */
const passable = /^[\x20-\x7e]{1,512}$/

/** Undefined if invalid: treated as missing. */
export const readTraceparent = (text: string): TraceParent | undefined => {
  const [, traceId, spanId, flags = '', more] = form.exec(text) ?? []
  if (traceId === undefined || spanId === undefined || (more !== undefined && text.startsWith('00'))) return undefined
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

/** Reads the trace headers of a request. */
export const incomingTrace = (headers: Readonly<Record<string, unknown>>): IncomingTrace | undefined => {
  const { traceparent, tracestate } = headers
  if (typeof traceparent !== 'string' || !readTraceparent(traceparent)) return undefined
  const passedOn = typeof tracestate === 'string' && passable.test(tracestate)
  return { traceparent, ...(passedOn && { tracestate }) }
}

/** Uses the originator's trace, or a trace id derived from the call id so that each can be found from the other. */
const traceIdOf = (callId: string, incoming?: IncomingTrace): string => {
  const theirs = incoming && readTraceparent(incoming.traceparent)
  if (theirs) return theirs.traceId
  const plain = callId.replaceAll('-', '').toLowerCase()
  return /^(?=.*[1-9a-f])[\da-f]{32}$/.test(plain) ? plain : digest(callId).slice(0, 32)
}

/** Deterministic span ids: a call that is taken over keeps its trace without any handover. */
export const spanIdOf = (name: string): string => digest(name).slice(0, 16)

/** Root span of a call. */
export const callSpanId = (callId: string): string => spanIdOf(callId)

/** Span of a caller's turn; 0: until the greeting is done. */
export const turnSpanId = (callId: string, turn: number): string => spanIdOf(`${callId} turn ${turn}`)

/** Span of one delivery attempt to an endpoint. */
export const attemptSpanId = (eventId: string, { channel, attempt }: { channel: string; attempt: number }): string =>
  spanIdOf(channel === 'webhook' && attempt === 1 ? eventId : `${eventId} ${channel} ${attempt}`)

/** Outgoing trace headers, so that the receiver can continue the trace. */
const traceHeaders = (
  traceId: string,
  spanId: string,
  sampled: boolean,
  incoming?: IncomingTrace,
): IncomingTrace & Record<string, string> => ({
  traceparent: `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`,
  ...(incoming?.tracestate !== undefined && { tracestate: incoming.tracestate }),
})

const digest = (text: string): string => hash('sha256', text)

/** Call as identified in traces. */
interface TracedCall {
  callId: string
  /** Trace context of the originator. */
  trace?: IncomingTrace | undefined
}

/** Span within a call: a child of the call's span unless another parent is given. The span id is optional if no other span refers to it. */
type PartOfCall = Omit<Span, 'traceId' | 'spanId' | 'kind'> & Partial<Pick<Span, 'spanId' | 'kind'>>

/** Trace of one call. */
export class CallTrace {
  readonly traceId: string
  readonly #tracer: Tracer
  readonly #call: TracedCall

  constructor(tracer: Tracer, call: TracedCall) {
    this.#tracer = tracer
    this.#call = call
    this.traceId = traceIdOf(call.callId, call.trace)
  }

  /** Reports the root span of the call. */
  notifyCall(span: Pick<Span, 'name' | 'kind' | 'startedAt' | 'endedAt' | 'attributes' | 'events' | 'error'>): void {
    const { trace } = this.#call
    this.#notify({ ...span, spanId: callSpanId(this.#call.callId), parentId: trace && readTraceparent(trace.traceparent)?.spanId })
  }

  notify(span: PartOfCall): void {
    const { kind = 'internal', spanId = newSpanId(), parentId = callSpanId(this.#call.callId) } = span
    this.#notify({ ...span, kind, spanId, parentId })
  }

  #notify(span: Omit<Span, 'traceId'>): void {
    this.#tracer.notify({ ...span, traceId: this.traceId, attributes: { 'offhook.call.id': this.#call.callId, ...span.attributes } })
  }
}

const newSpanId = (): string => randomBytes(8).toString('hex')

/** Undefined if this call is not sampled. */
export const callTrace = (tracer: Tracer | undefined, call: TracedCall): CallTrace | undefined =>
  tracer && isWanted(tracer, call) ? new CallTrace(tracer, call) : undefined

const isWanted = (tracer: Tracer, { callId, trace }: TracedCall): boolean =>
  tracer.samples(traceIdOf(callId, trace), trace && readTraceparent(trace.traceparent)?.sampled)

/**
 * Trace headers for a request of a call; `spanId`: span of that request. Without a tracer, the originator's context is passed through
 * unchanged.
 */
export const headersOf = (tracer: Tracer | undefined, call: TracedCall, spanId: string): IncomingTrace & Record<string, string> => {
  const { callId, trace } = call
  if (!tracer && trace) return { ...trace }
  return traceHeaders(traceIdOf(callId, trace), spanId, tracer ? isWanted(tracer, call) : true, trace)
}
