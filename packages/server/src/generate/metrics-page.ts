import type { Area, Family } from '#core/operate/metrics/families/family.ts'
import { areaTitles } from './area-titles.ts'
import { familiesOf } from '#core/operate/metrics/families/table.ts'

/** docs/metrics.md, from the table that /metrics itself is made of. */
export const metricsPage = (): string =>
  [
    '# Metrics',
    '',
    'What `GET /metrics` of each process shows, in the text format of Prometheus ([how to set that up](guides/monitoring.md)). Names do not change; a name',
    'without a value is left out. Figures *of the whole installation* are the same at every process: take `max`, not `sum`. They are read from the database when',
    'somebody asks, at most every ten seconds.',
    '',
    ...Object.entries(familiesOf).flatMap(([area, families]) => areaSection(areaTitles[area as Area], families)),
  ].join('\n')

const areaSection = (title: string, families: Record<string, Family>): string[] => [
  `## ${title}`,
  '',
  '| metric | type | labels | meaning |',
  '| --- | --- | --- | --- |',
  ...Object.entries(families).map(
    ([name, { type, labels, help }]) => `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(', ')} | ${help} |`,
  ),
  '',
]
