import type { Distribution } from './distribution.ts'
import type { families, MetricName } from './table.ts'

type Families = typeof families

type LabelsOf<N extends MetricName> = Families[N]['labels'][number]

type ValueOf<N extends MetricName> = Families[N]['type'] extends 'histogram' ? Distribution : number

/** One value of one name, with exactly the labels declared in the table. */
export type Sample = {
  [N in MetricName]: { name: N; value: ValueOf<N> } & ([LabelsOf<N>] extends [never] ? object : { labels: Record<LabelsOf<N>, string> })
}[MetricName]

/** Returns samples when the metrics are read. */
export type SampleSource = () => readonly Sample[]
