import type { Distribution } from './distribution.ts'
import type { Family } from './table.ts'
import { families, type MetricName } from './table.ts'
import type { Sample } from './sample.ts'

export const contentType = 'text/plain; version=0.0.4; charset=utf-8'

/** Prometheus text format, in the order of the table; omits names without a value. */
export const prometheusText = (samples: readonly Sample[]): string => {
  const byName = Map.groupBy(samples, ({ name }) => name)
  return Object.entries<Family>(families)
    .map(([name, family]) => familyText(name, family, byName.get(name as MetricName) ?? []))
    .join('')
}

const familyText = (name: string, { type, help, bounds = [] }: Family, samples: readonly Sample[]): string => {
  if (samples.length === 0) return ''
  const lines = samples.flatMap((sample) => {
    const labels = 'labels' in sample ? Object.entries<string>(sample.labels) : []
    return typeof sample.value === 'number' ? [line(name, labels, sample.value)] : buckets(name, labels, bounds, sample.value)
  })
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('\n')}\n`
}

type Labels = readonly (readonly [string, string])[]

const buckets = (name: string, labels: Labels, bounds: readonly number[], value: Distribution): string[] => [
  ...bounds.map((bound) => line(`${name}_bucket`, [...labels, ['le', String(bound)]], value.upTo(bound))),
  line(`${name}_bucket`, [...labels, ['le', '+Inf']], value.count),
  line(`${name}_sum`, labels, value.sum),
  line(`${name}_count`, labels, value.count),
]

const line = (name: string, labels: Labels, value: number): string =>
  `${name}${labels.length === 0 ? '' : `{${labels.map(([label, text]) => `${label}="${escaped(text)}"`).join(',')}}`} ${number(value)}`

const escaped = (text: string): string => text.replaceAll(/[\\"\n]/g, (found) => (found === '\n' ? '\\n' : `\\${found}`))

const number = (value: number): string => {
  if (Number.isFinite(value)) return String(value)
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'
}
