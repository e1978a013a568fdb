import { Alert, Button, Group, Stack } from '@mantine/core'
import type { ScenarioReport, ScenarioStep } from '@offhook/contract/assistant/scenario.ts'
import { useState } from 'react'
import { useRead } from '#api/use-service.ts'
import { ErrorNotice } from '#parts/form/error-notice.tsx'
import { Icon } from '#parts/icon/icon.tsx'
import { Section } from '#parts/page/section.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { useText } from '#words/use-text.tsx'
import { EndpointChoice, inputOf } from '#lazy-parts/scenarios/endpoint-choice.tsx'
import { MomentWords } from '#lazy-parts/scenarios/report-view.tsx'
import { stepWords } from '#lazy-parts/scenarios/step-words.ts'
import { text as scenarioText } from '#lazy-parts/scenarios/text.ts'
import { useTestRun } from '#lazy-parts/scenarios/use-test-run.ts'
import classes from './replay.module.css'
import { text } from './text.ts'
import { type Round, roundsOf } from './rounds.ts'

/** Replays a call with the current endpoint and shows the differences. */
export const ReplaySection = ({ flowId, callId }: { flowId: string; callId: string }) => {
  const say = useText(text)
  const [choice, setChoice] = useState('')
  const { start, run, isRunning, error } = useTestRun(flowId)
  const scenario = useRead('getCallScenario', { callId, words: true })
  const report = run?.reports[0]
  return (
    <Section title={say.replayTitle} description={say.replayAbout}>
      <Stack>
        <Group align="end">
          <EndpointChoice flowId={flowId} value={choice} onChange={setChoice} />
          <Button
            loading={isRunning}
            leftSection={<Icon name="refresh" size={16} />}
            onClick={() => start({ ...inputOf(choice), calls: [callId] })}
          >
            {run ? say.again : say.run}
          </Button>
        </Group>
        <ErrorNotice error={error ?? scenario.error} />
        <div role="status">{isRunning ? say.running : report && <Outcome report={report} />}</div>
        {!isRunning && report && scenario.data && <Rounds steps={scenario.data.steps} report={report} />}
      </Stack>
    </Section>
  )
}

const Outcome = ({ report: { state, failures } }: { report: ScenarioReport }) => {
  const say = useText(text)
  const [color, words] =
    state === 'passed' ? ['pine', say.same] : state === 'failed' ? ['yellow', say.different(failures.length)] : ['red', say.failed]
  return <Alert color={color}>{words}</Alert>
}

const Rounds = ({ steps, report }: { steps: readonly ScenarioStep[]; report: ScenarioReport }) => (
  <ol className={classes.rounds}>
    {roundsOf(steps, report).map((round, index) => (
      <RoundView key={index} round={round} />
    ))}
  </ol>
)

const RoundView = ({ round: { caller, before, now, failures } }: { round: Round }) => {
  const say = useText(text)
  const sayStep = useText(scenarioText)
  const { number } = useFormat()
  return (
    <li className={classes.round} data-different={failures.length > 0}>
      <strong>{caller ? `${sayStep.caller}: ${stepWords(caller, sayStep, number).words}` : say.beginning}</strong>
      <div className={classes.sides}>
        <div>
          <span className={classes.side}>{say.before}</span>
          {before.length === 0 ? say.nothing : before.map((step, index) => <div key={index}>{stepWords(step, sayStep, number).words}</div>)}
        </div>
        <div>
          <span className={classes.side}>{say.now}</span>
          {now.length === 0
            ? say.nothing
            : now.map((moment, index) => (
                <div key={index}>
                  <MomentWords {...moment} />
                </div>
              ))}
        </div>
      </div>
      {failures.map(({ message }) => (
        <div key={message} className={classes.difference} lang="en">
          {message}
        </div>
      ))}
    </li>
  )
}
