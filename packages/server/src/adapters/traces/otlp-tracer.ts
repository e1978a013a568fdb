import type { Tracer } from '#core/kernel/trace/tracer.ts'
import { OtlpExporter, type OtlpExporterDeps } from './otlp-exporter.ts'

export interface OtlpTracerDeps extends OtlpExporterDeps {
  sampler: SamplerName
  /** For samplers that need it: 0 to 1. */
  ratio: number
}

export interface OtlpTracer extends Tracer {
  readonly counts: OtlpExporter['counts']
  idle(): Promise<void>
  close(): Promise<void>
}

/** Sends traces to a collector by OTLP over HTTP. */
export const otlpTracer = (deps: OtlpTracerDeps): OtlpTracer => {
  const exporter = new OtlpExporter(deps)
  return {
    samples: samplerNamed(deps.sampler, deps.ratio),
    notify: (span) => exporter.put(span),
    get counts() {
      return exporter.counts
    },
    idle: () => exporter.idle(),
    close: () => exporter.close(),
  }
}

type Own = 'always_on' | 'always_off' | 'traceidratio'
export type SamplerName = Own | `parentbased_${Own}`

/** See `Tracer.samples`. */
export type Sampler = (traceId: string, asked: boolean | undefined) => boolean

/** Digits of a trace id that are certainly random, also when it was made from a UUID; a number cannot hold more. */
const randomDigits = 13
const range = 16 ** randomDigits

/** Names and semantics of OpenTelemetry. `ratio`: share of all traces, from 0 to 1. */
export const samplerNamed = (name: SamplerName, ratio: number): Sampler => {
  const byParent = name.startsWith('parentbased_')
  const own = ownDecision(name.replace('parentbased_', ''), ratio)
  return (traceId, asked) => (byParent ? asked : undefined) ?? own(traceId)
}

/** By the trace id alone, so that all processes and all spans agree. */
const ownDecision = (name: string, ratio: number): ((traceId: string) => boolean) => {
  if (name !== 'traceidratio') return () => name === 'always_on'
  const from = (1 - ratio) * range
  return (traceId) => Number.parseInt(traceId.slice(-randomDigits), 16) >= from
}
