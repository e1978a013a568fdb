import { SegmentedControl, Text, SimpleGrid, Anchor, Box } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState, useMemo } from 'react'
import { api } from '#api/client.ts'
import { useRead, type OutputOf } from '#api/use-service.ts'
import { Loaded } from '#parts/page/loaded.tsx'
import { Page } from '#parts/page/page.tsx'
import { useText, useLanguage } from '#words/use-text.tsx'
import { Section } from '#parts/page/section.tsx'
import { Matters, type Matter } from '#lazy-parts/matters.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { Chart } from './chart.tsx'
import { chartNames, highestOf, isDuration, isEmpty, seriesOf, type ChartName, type Metrics } from './chart.tsx'
import { Link } from 'wouter'
import classes from './figure.module.css'

import { text, type Said } from './text.ts'

const ranges = ['15', '60', '360', '1440'] as const
const intervalMs = 10_000

/** State of the installation. */
export const OverviewPage = () => {
  const say = useText(text)
  const [minutes, setMinutes] = useState<string>('60')
  const metrics = useQuery({
    queryKey: ['readMetrics', minutes],
    queryFn: () => api.readMetrics({ minutes: Number(minutes) }),
    refetchInterval: intervalMs,
    placeholderData: keepPreviousData,
  })
  const nodes = useRead('listNodes', {}, { every: intervalMs })
  const choices = ranges.map((range) => ({ value: range, label: say.ranges[range] }))
  return (
    <Page
      title={say.title}
      description={say.description}
      width="full"
      actions={<SegmentedControl aria-label={say.range} size="sm" data={choices} value={minutes} onChange={setMinutes} />}
    >
      <Loaded query={nodes}>
        {({ items }) => (
          <Loaded query={metrics}>
            {(figures) => (
              <>
                <Figures metrics={figures} nodes={items} />
                <Attention nodes={items} />
                <Charts metrics={figures} />
              </>
            )}
          </Loaded>
        )}
      </Loaded>
    </Page>
  )
}

/** The form is with the other carrier, it does not answer, or the switch failed: the next step is entered by hand. */
const waitingPortings: readonly number[] = [200, 251, 451]

/** Tasks for the operator. */
export const Attention = ({ nodes }: { nodes: OutputOf<'listNodes'>['items'] }) => {
  const say = useText(text)
  const every = 30_000
  const trunks = useRead('listTrunks', {}, { every })
  const letters = useRead('listDeadLetters', {}, { every })
  const orders = useRead('listAllSimOrders', { state: 'ORDERED' }, { every })
  const routes = useRead('listSmsRoutes', {}, { every })
  const portings = useRead('listAllPortings', {}, { every }).data?.items.filter(({ status }) => waitingPortings.includes(status))
  const matters = [
    ...nodes.filter(({ state }) => state === 'GONE').map(({ name }) => ({ words: say.nodeLost(name), to: '/operator/nodes' })),
    ...ofTrunks(trunks.data?.items, say),
    ...(routes.data?.items ?? []).filter(({ usable }) => !usable).map(({ name }) => ({ words: say.smsDown(name), to: '/operator/trunks' })),
    ...counted(letters.data?.items.length, say.lettersDead, '/operator/outbox'),
    ...counted(portings?.length, say.portingsWait, '/operator/portings'),
    ...counted(orders.data?.items.length, say.simsOrdered, '/operator/sims'),
  ]
  return (
    <Section title={say.waiting}>
      {matters.length === 0 ? (
        <Text size="sm" c="dimmed">
          {say.nothingWaits}
        </Text>
      ) : (
        <Matters matters={matters} />
      )}
    </Section>
  )
}

const ofTrunks = (trunks: OutputOf<'listTrunks'>['items'] | undefined, say: Said): Matter[] => {
  const to = '/operator/trunks'
  if (trunks === undefined) return []
  if (trunks.length === 0) return [{ words: say.noTrunk, to }]
  return trunks.filter(({ active, state }) => active && state?.usable === false).map(({ name }) => ({ words: say.trunkDown(name), to }))
}

const counted = (count: number | undefined, words: (n: number) => string, to: string): Matter[] =>
  count === undefined || count === 0 ? [] : [{ words: words(count), to }]

/** All time series, each in its own frame. */
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

/** Hours and minutes in the format of the language. */
const useClock = (): ((seconds: number) => string) => {
  const { language } = useLanguage()
  return useMemo(() => {
    const written = new Intl.DateTimeFormat(language === 'de' ? 'de-DE' : 'en-GB', { hour: '2-digit', minute: '2-digit' })
    return (seconds) => written.format(seconds * 1000)
  }, [language])
}

type Nodes = OutputOf<'listNodes'>['items']

/** Key figures. */
export const Figures = ({ metrics, nodes }: { metrics: Metrics; nodes: Nodes }) => {
  const say = useText(text)
  const format = useFormat()
  const { callsStarted, callsAnswered, callsFailed, endpointFailures, httpFailures, turnMs } = metrics.whole
  const failures = callsFailed + endpointFailures + httpFailures
  const present = nodes.filter(({ state }) => state !== 'GONE')
  const calls = present.reduce((sum, node) => sum + node.calls, 0)
  const sessions = present.reduce((sum, node) => sum + node.sessions, 0)
  // Some answered calls started before the period.
  const share = callsStarted === 0 ? '–' : `${format.number(Math.min(100, (100 * callsAnswered) / callsStarted))} %`
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg: 5 }} spacing="sm">
      <Figure label={say.callsNow} value={format.number(calls)} hint={say.assistantsNow(sessions)} />
      <Figure label={say.callsStarted} value={format.number(callsStarted)} hint={say.answered(share)} />
      <Figure label={say.answerTime} value={turnMs === undefined ? '–' : `${format.number(turnMs.p95)} ms`} hint={say.answerTimeHint} />
      <Figure
        label={say.failures}
        value={format.number(failures)}
        hint={say.failuresHint}
        bad={failures > 0}
        {...(callsFailed > 0 && { to: '/operator/calls?outcome=failures' })}
      />
      <Processes nodes={nodes} present={present.length} />
    </SimpleGrid>
  )
}

const Processes = ({ nodes, present }: { nodes: Nodes; present: number }) => {
  const say = useText(text)
  const lost = nodes.length - present
  const draining = nodes.filter(({ state }) => state === 'DRAINING' || state === 'DRAINED').length
  const hint = lost > 0 ? say.lost(lost) : draining > 0 ? say.draining(draining) : say.allWell
  return <Figure label={say.processes} value={String(present)} hint={hint} />
}

interface FigureProps {
  label: string
  value: string
  hint: string
  bad?: boolean
  /** Page of the counted items. */
  to?: string
}

const Figure = ({ label, value, hint, bad = false, to }: FigureProps) => (
  <Box className={classes.figure}>
    <Text size="sm" c="dimmed">
      {label}
    </Text>
    <Text className={classes.value} data-bad={bad}>
      {value}
    </Text>
    {to === undefined ? (
      <Text size="xs" c="dimmed">
        {hint}
      </Text>
    ) : (
      <Anchor component={Link} href={to} size="xs">
        {hint}
      </Anchor>
    )}
  </Box>
)
