import { SimpleGrid, Text } from '@mantine/core'
import { useMemo } from 'react'
import { Section } from '#parts/page/section.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { useLanguage, useText } from '#words/use-text.tsx'
import { Chart } from './chart.tsx'
import { chartNames, highestOf, isDuration, isEmpty, seriesOf, type ChartName, type Metrics } from './series.ts'
import { text } from './text.ts'

/** Everything that changes over time, each in its own frame. */
export const Charts = ({ metrics }: { metrics: Metrics }) => (
  <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
    {chartNames.map((name) => (
      <NamedChart key={name} name={name} metrics={metrics} />
    ))}
  </SimpleGrid>
)

const NamedChart = ({ name, metrics }: { name: ChartName; metrics: Metrics }) => {
  const say = useText(text)
  const format = useFormat()
  const clock = useClock()
  const series = useMemo(() => seriesOf(metrics, name), [metrics, name])
  const times = useMemo(() => metrics.points.map(({ at }) => Date.parse(at) / 1000), [metrics])
  const inWords = (value: number): string => (isDuration(name) ? `${format.number(value)} ms` : format.number(value, 2))
  const { title, lines } = say.charts[name]
  return (
    <Section title={title} description={say.chartHints[name]}>
      {isEmpty(series) ? (
        <Text size="sm" c="dimmed">
          {say.nothingYet}
        </Text>
      ) : (
        <Chart
          label={`${title}: ${say.highest(inWords(highestOf(series)))}`}
          {...{ times, lines, series, inWords, clock }}
          dotted={isDuration(name)}
          min={isDuration(name) ? 10 : 1}
          timeLabel={say.time}
        />
      )}
    </Section>
  )
}

/** Hours and minutes, as the language writes them. */
const useClock = (): ((seconds: number) => string) => {
  const { language } = useLanguage()
  return useMemo(() => {
    const written = new Intl.DateTimeFormat(language === 'de' ? 'de-DE' : 'en-GB', { hour: '2-digit', minute: '2-digit' })
    return (seconds) => written.format(seconds * 1000)
  }, [language])
}
