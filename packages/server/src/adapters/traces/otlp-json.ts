import type { Span, SpanAttributes } from '#core/kernel/trace/tracer.ts'

/** What all spans of this process have in common. */
export interface Resource {
  attributes: SpanAttributes
  /** Of the program that made them. */
  scope: { name: string; version: string }
}

/** Numbers of opentelemetry.proto.trace.v1. */
const kinds = { internal: 1, server: 2, client: 3 } as const
const failed = 2

/** The body of an OTLP/HTTP request: ExportTraceServiceRequest as JSON. */
export const otlpJson = ({ attributes, scope }: Resource, spans: readonly Span[]): string =>
  JSON.stringify({
    resourceSpans: [{ resource: { attributes: pairs(attributes) }, scopeSpans: [{ scope, spans: spans.map(otlpSpan) }] }],
  })

const otlpSpan = ({ traceId, spanId, parentId, name, kind, startedAt, endedAt, attributes, events, error }: Span) => ({
  traceId,
  spanId,
  ...(parentId !== undefined && { parentSpanId: parentId }),
  name,
  kind: kinds[kind],
  startTimeUnixNano: nanoseconds(startedAt),
  endTimeUnixNano: nanoseconds(Math.max(startedAt, endedAt)),
  attributes: pairs(error === undefined ? attributes : { ...attributes, 'error.type': error }),
  ...(events && {
    events: events.map((event) => ({ name: event.name, timeUnixNano: nanoseconds(event.at), attributes: pairs(event.attributes ?? {}) })),
  }),
  ...(error !== undefined && { status: { code: failed, message: error } }),
})

/** More digits than a number has room for: written as text, as the format wants it. */
const nanoseconds = (ms: number): string => `${Math.round(ms * 1000)}000`

const pairs = (attributes: SpanAttributes): object[] =>
  Object.entries(attributes).flatMap(([key, value]) => (value === undefined ? [] : { key, value: otlpValue(value) }))

const otlpValue = (value: string | number | boolean): object => {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}
