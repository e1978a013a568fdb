/** Never words, phone numbers or secrets: traces leave the machine. What is undefined is left out. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>

/** What happened within a span, at one moment. */
export interface SpanEvent {
  name: string
  /** Milliseconds since the epoch. */
  at: number
  attributes?: SpanAttributes
}

/** A stretch of work that is over. */
export interface Span {
  /** 32 hexadecimal digits. */
  traceId: string
  /** 16 hexadecimal digits. */
  spanId: string
  parentId?: string | undefined
  name: string
  /** Who asked whom: we were asked (server), we asked (client), or neither. */
  kind: 'internal' | 'server' | 'client'
  /** Milliseconds since the epoch. */
  startedAt: number
  endedAt: number
  attributes: SpanAttributes
  events?: readonly SpanEvent[]
  /** What went wrong, in a word of ours or of the protocol. */
  error?: string | undefined
}

/** Takes the spans of calls to where an operator looks at them. There is none unless the operator wants traces. */
export interface Tracer {
  /** Whether anything of this trace is wanted; the same answer for all its spans. `asked`: what the one who began the trace says. */
  samples(traceId: string, asked: boolean | undefined): boolean
  /** Costs little and never fails. */
  notify(span: Span): void
}

/** What somebody who asked us to do something sent with it (W3C Trace Context): what we do belongs to their trace. */
export interface IncomingTrace {
  traceparent: string
  tracestate?: string
}
