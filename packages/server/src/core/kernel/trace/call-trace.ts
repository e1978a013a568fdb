import { randomBytes } from 'node:crypto'
import type { IncomingTrace, Span, Tracer } from './tracer.ts'
import { callSpanId, readTraceparent, traceHeaders, traceIdOf } from './trace-context.ts'

/** A call as its trace knows it. */
export interface TracedCall {
  callId: string
  /** Of the one who ordered it. */
  trace?: IncomingTrace | undefined
}

/** A span within a call: of the call as a whole unless another parent is given. Without an id of its own nobody else refers to it. */
type PartOfCall = Omit<Span, 'traceId' | 'spanId' | 'kind'> & Partial<Pick<Span, 'spanId' | 'kind'>>

/** The trace of one call. */
export class CallTrace {
  readonly traceId: string
  readonly #tracer: Tracer
  readonly #call: TracedCall

  constructor(tracer: Tracer, call: TracedCall) {
    this.#tracer = tracer
    this.#call = call
    this.traceId = traceIdOf(call.callId, call.trace)
  }

  /** The call as a whole: what all other spans are part of. */
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

/** Undefined when nobody wants to know of this call. */
export const callTrace = (tracer: Tracer | undefined, call: TracedCall): CallTrace | undefined =>
  tracer && isWanted(tracer, call) ? new CallTrace(tracer, call) : undefined

const isWanted = (tracer: Tracer, { callId, trace }: TracedCall): boolean =>
  tracer.samples(traceIdOf(callId, trace), trace && readTraceparent(trace.traceparent)?.sampled)

/**
 * For a request that belongs to a call; `spanId`: the span of that request. Where we make no traces of our own, those of others go through us as
 * they came.
 */
export const headersOf = (tracer: Tracer | undefined, call: TracedCall, spanId: string): IncomingTrace & Record<string, string> => {
  const { callId, trace } = call
  if (!tracer && trace) return { ...trace }
  return traceHeaders(traceIdOf(callId, trace), spanId, tracer ? isWanted(tracer, call) : true, trace)
}
