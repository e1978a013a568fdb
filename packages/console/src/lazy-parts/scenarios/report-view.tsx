import { Stack, Text, Title } from '@mantine/core'
import type { ScenarioMoment, ScenarioReport } from '@offhook/contract/assistant/scenario.ts'
import { StatusBadge, type Tone } from '#parts/value/status-badge.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { useText } from '#words/use-text.tsx'
import classes from './scenarios.module.css'
import { text } from './text.ts'

const tones: Readonly<Record<'running' | ScenarioReport['state'], Tone>> = { running: 'busy', passed: 'good', failed: 'bad', error: 'bad' }

export const RunState = ({ state }: { state: keyof typeof tones }) => (
  <StatusBadge tone={tones[state]} pulse={state === 'running'}>
    {useText(text).states[state]}
  </StatusBadge>
)

/** Result of one conversation, and its failures. */
export const ReportView = ({ report }: { report: ScenarioReport }) => {
  const say = useText(text)
  const { duration, number } = useFormat()
  return (
    <Stack gap="sm">
      <Failures failures={report.failures} />
      <div>
        <Title order={4} size="h5" mb={4}>
          {say.transcript}
        </Title>
        <Transcript moments={report.transcript} />
      </div>
      <Text size="xs" c="dimmed">
        {say.lasted(duration(report.conversationMs), number(report.tookMs))}
      </Text>
    </Stack>
  )
}

/** The service describes expected and actual in English. Empty without a failure. */
const Failures = ({ failures }: { failures: ScenarioReport['failures'] }) => {
  const say = useText(text)
  if (failures.length === 0) return null
  return (
    <ul className={classes.failures} aria-label={say.failures}>
      {failures.map(({ step, message }, index) => (
        <li key={index}>
          <strong>{say.atStep(step)}:</strong> <span lang="en">{message}</span>
        </li>
      ))}
    </ul>
  )
}

/** Speech and actions, in order. */
const Transcript = ({ moments }: { moments: readonly ScenarioMoment[] }) => {
  const say = useText(text)
  const { number } = useFormat()
  if (moments.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {say.noTranscript}
      </Text>
    )
  return (
    <ol className={classes.transcript}>
      {moments.map(({ atMs, by, ...moment }, index) => (
        <li key={index} className={classes.moment}>
          <Text span inherit c="dimmed" className={classes.at}>
            {number(atMs / 1000, 1)} s
          </Text>
          <Text span inherit c="dimmed">
            {say.by[by]}
          </Text>
          <span className={classes.words}>
            <MomentWords {...moment} />
          </span>
        </li>
      ))}
    </ol>
  )
}

export const MomentWords = ({ text: words, cut, action }: Pick<ScenarioMoment, 'text' | 'cut' | 'action'>) => {
  const say = useText(text)
  return (
    <>
      {words}
      {cut && (
        <Text span size="xs" c="dimmed">
          {' '}
          ({say.cut})
        </Text>
      )}
      {action !== undefined && <code>{action}</code>}
    </>
  )
}
