import { Anchor, Box, SimpleGrid, Text } from '@mantine/core'
import { Link } from 'wouter'
import type { OutputOf } from '#api/use-service.ts'
import { useFormat } from '#parts/value/use-format.ts'
import { useText } from '#words/use-text.tsx'
import classes from './figure.module.css'
import type { Metrics } from './series.ts'
import { text } from './text.ts'

type Nodes = OutputOf<'listNodes'>['items']

/** The few numbers that say how it goes. */
export const Figures = ({ metrics, nodes }: { metrics: Metrics; nodes: Nodes }) => {
  const say = useText(text)
  const format = useFormat()
  const { callsStarted, callsAnswered, callsFailed, endpointFailures, httpFailures, turnMs } = metrics.whole
  const failures = callsFailed + endpointFailures + httpFailures
  const present = nodes.filter(({ state }) => state !== 'GONE')
  const calls = present.reduce((sum, node) => sum + node.calls, 0)
  const sessions = present.reduce((sum, node) => sum + node.sessions, 0)
  // Some were answered that had begun before.
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
  /** What it counts. */
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
