import type { Tracer } from '#core/kernel/trace/tracer.ts'
import { OtlpExporter, type OtlpExporterDeps } from './otlp-exporter.ts'
import { samplerNamed, type SamplerName } from './sampler.ts'

export interface OtlpTracerDeps extends OtlpExporterDeps {
  sampler: SamplerName
  /** For the samplers that need one: 0 to 1. */
  ratio: number
}

export interface OtlpTracer extends Tracer {
  readonly counts: OtlpExporter['counts']
  idle(): Promise<void>
  close(): Promise<void>
}

/** Traces that go to a collector which speaks OTLP over HTTP. */
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
