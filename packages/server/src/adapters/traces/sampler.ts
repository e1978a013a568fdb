type Own = 'always_on' | 'always_off' | 'traceidratio'
export type SamplerName = Own | `parentbased_${Own}`

/** See `Tracer.samples`. */
export type Sampler = (traceId: string, asked: boolean | undefined) => boolean

/** Of a trace id these are random for sure, also when it was made of a UUID; more a number has no room for. */
const randomDigits = 13
const range = 16 ** randomDigits

/** Names and meaning are those of OpenTelemetry. `ratio`: how many of all traces, from 0 to 1. */
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
