import { gunzipSync } from 'node:zlib'
import { buffer } from 'node:stream/consumers'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { startLoopbackServer } from './loopback-server.ts'
import type { Scope } from '../machine/temporary-folder.ts'

type Value = { stringValue?: string; intValue?: string; doubleValue?: number; boolValue?: boolean }
type Pairs = { key: string; value: Value }[]

/** Span as on the wire, except for its attributes. */
export interface ReceivedSpan {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  status?: { code: number; message: string }
  attributes: Record<string, unknown>
  events: { name: string; at: number }[]
  /** Milliseconds since the epoch. */
  startedAt: number
  endedAt: number
}

export interface Collector {
  readonly url: string
  /** All requests. */
  readonly requests: { path: string; headers: IncomingHttpHeaders; json: string }[]
  readonly spans: ReceivedSpan[]
  readonly resource: Record<string, unknown>
  named(name: string): ReceivedSpan[]
  /** Overrides the default response, which accepts everything. */
  answer: ((response: ServerResponse) => void) | undefined
}

const valueOf = ({ stringValue, intValue, doubleValue, boolValue }: Value): unknown =>
  stringValue ?? (intValue === undefined ? undefined : Number(intValue)) ?? doubleValue ?? boolValue

const read = (pairs: Pairs): Record<string, unknown> => Object.fromEntries(pairs.map(({ key, value }) => [key, valueOf(value)]))

const ms = (nano: string): number => Number(BigInt(nano) / 1000n) / 1000

type WireSpan = Omit<ReceivedSpan, 'attributes' | 'events'> & { attributes: Pairs; events?: { name: string; timeUnixNano: string }[] }
interface Wire {
  resourceSpans: { resource: { attributes: Pairs }; scopeSpans: { spans: WireSpan[] }[] }[]
}

const readSpan = (span: WireSpan): ReceivedSpan => ({
  ...span,
  attributes: read(span.attributes),
  events: (span.events ?? []).map(({ name, timeUnixNano }) => ({ name, at: ms(timeUnixNano) })),
  startedAt: ms(span.startTimeUnixNano),
  endedAt: ms(span.endTimeUnixNano),
})

/** Trace collector over OTLP/HTTP. */
export const startCollector = async (t: Scope): Promise<Collector> => {
  let url = ''
  const collector: Collector = {
    get url() {
      return url
    },
    requests: [],
    spans: [],
    resource: {},
    named: (name) => collector.spans.filter((span) => span.name === name),
    answer: undefined,
  }
  const address = await startLoopbackServer(t, (request, response) => {
    const take = async (): Promise<void> => {
      const bytes = await buffer(request)
      const json = (request.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString()
      collector.requests.push({ path: request.url ?? '', headers: request.headers, json })
      if (collector.answer) return collector.answer(response)
      for (const { resource, scopeSpans } of (JSON.parse(json) as Wire).resourceSpans) {
        Object.assign(collector.resource, read(resource.attributes))
        collector.spans.push(...scopeSpans.flatMap(({ spans }) => spans.map(readSpan)))
      }
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"partialSuccess":{}}')
    }
    take().catch(() => response.destroy())
  })
  url = `http://${address}`
  return collector
}
