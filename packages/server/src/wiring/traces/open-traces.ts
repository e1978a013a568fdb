import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Tracer } from '#core/kernel/trace/tracer.ts'
import type { CallSpans } from '#core/operate/traces/call-spans.ts'
import type { MetricSources } from '#core/operate/metrics/families/metric-sources.ts'
import type { Log } from '#log/log-events.ts'
import type { Settings } from '#settings/config.ts'
import type { Open } from '../closing.ts'
import { version } from '#settings/version.ts'

interface OpenedTracer extends Tracer {
  idle(): Promise<void>
  close(): Promise<void>
}

/** Tracing of calls. */
export interface Traces {
  /** Undefined if tracing is off. */
  tracer: OpenedTracer | undefined
  callSpans: CallSpans | undefined
  log: Log
}

interface TracesDeps {
  /** Real time, used for sending requests. */
  clock: Clock
  log: Log
  metrics: MetricSources
  open: Open
}

/** Loads nothing unless the operator configures a collector. */
export const openTraces = async (settings: Settings, deps: TracesDeps): Promise<Traces> => {
  const { log } = deps
  const url = addressOf(settings)
  if (url === undefined) return { tracer: undefined, callSpans: undefined, log }
  const { OTEL_EXPORTER_OTLP_PROTOCOL: protocol } = settings
  if (protocol !== 'http/json') log('traces_protocol', { protocol })
  const { CallSpans: Spans } = await import('#core/operate/traces/call-spans.ts')
  const tracer = deps.open(await openTracer(settings, url, deps)) // opened early, so that it is closed after the last call
  const callSpans = new Spans(tracer)
  return { tracer, callSpans, log: namingTraces(log, callSpans) }
}

const openTracer = async (settings: Settings, url: string, { clock, log, metrics }: TracesDeps): Promise<OpenedTracer> => {
  const { otlpTracer } = await import('#adapters/traces/otlp-tracer.ts')
  const tracer = otlpTracer({
    clock,
    url,
    headers: { ...settings.OTEL_EXPORTER_OTLP_HEADERS, ...settings.OTEL_EXPORTER_OTLP_TRACES_HEADERS },
    timeoutMs: settings.OTEL_EXPORTER_OTLP_TIMEOUT,
    compress: settings.OTEL_EXPORTER_OTLP_COMPRESSION === 'gzip',
    sampler: settings.OTEL_TRACES_SAMPLER,
    ratio: settings.OTEL_TRACES_SAMPLER_ARG,
    resource: { attributes: resourceOf(settings), scope: { name: 'offhook', version: version() } },
    onFailing: (why) => log('traces_unavailable', { why }),
    onRecovered: (dropped) => log('traces_available', { dropped }),
  })
  metrics.add(() => [
    { name: 'offhook_trace_spans_sent_total', value: tracer.counts.sent },
    { name: 'offhook_trace_spans_dropped_total', value: tracer.counts.dropped },
  ])
  return tracer
}

/** Links log lines of a traced call to its trace. */
const namingTraces =
  (log: Log, callSpans: CallSpans): Log =>
  (event, fields) => {
    const traceId = typeof fields?.callId === 'string' ? callSpans.traceIdOf(fields.callId) : undefined
    log(event, traceId === undefined ? fields : { ...fields, traceId })
  }

/** Undefined if tracing is off. */
const addressOf = (settings: Settings): string | undefined => {
  const { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: exact, OTEL_EXPORTER_OTLP_ENDPOINT: base } = settings
  if (settings.OTEL_SDK_DISABLED || settings.OTEL_TRACES_EXPORTER === 'none') return undefined
  return exact ?? (base === undefined ? undefined : `${base}/v1/traces`)
}

const resourceOf = (settings: Settings): Record<string, string | undefined> => ({
  'service.version': version(),
  'service.instance.id': settings.OFFHOOK_NODE_NAME,
  'telemetry.sdk.language': 'nodejs',
  ...settings.OTEL_RESOURCE_ATTRIBUTES,
  'service.name': settings.OTEL_SERVICE_NAME,
})
