import type { ScenarioMoment, ScenarioReport } from '@offhook/contract/assistant/scenario.ts'
import { unjudgedIn } from '@offhook/sdk/simulate/run-scenario.ts'
import { harmless, paint } from '../terminal/paint.ts'
import { notifiedOf, type Outcome } from './outcomes.ts'

/** One line when it passed; otherwise why not, and the conversation. */
export const linesOf = (outcome: Outcome): string => {
  const { name, file, state, reports } = outcome
  const passed = reports.filter((report) => report.state === 'passed').length
  const times = reports.length > 1 ? ` ${passed} of ${reports.length}` : ''
  const report = notifiedOf(outcome)
  const took = paint('gray', ` ${report?.tookMs ?? 0} ms${file === undefined ? '' : `  ${file}`}`)
  if (state === 'passed') return `${paint('green', `✔ ${harmless(name)}`)}${times}${took}`
  return [
    `${paint('red', `✖ ${harmless(name)}`)}${times}${took}`,
    ...(report ? [...failureLines(report), ...transcriptLines(report)] : []),
  ].join('\n')
}

export const summaryOf = (outcomes: readonly Outcome[]): string => {
  const count = (state: Outcome['state']): number => outcomes.filter((one) => one.state === state).length
  const [passed, failed, broken] = [count('passed'), count('failed'), count('error')]
  const unjudged = outcomes.flatMap(({ reports }) => reports).reduce((sum, report) => sum + unjudgedIn(report), 0)
  const parts = [
    `${passed} passed`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(broken > 0 ? [`${broken} could not be run`] : []),
    ...(unjudged > 0 ? [`${unjudged} not judged`] : []),
  ]
  return paint(failed + broken > 0 ? 'red' : 'green', parts.join(', '))
}

const failureLines = ({ failures }: ScenarioReport): string[] =>
  failures.map(({ step, message }) => `  ${paint('red', `${step > 0 ? `step ${step}: ` : ''}${harmless(message)}`)}`)

const transcriptLines = ({ transcript }: ScenarioReport): string[] => transcript.map((moment) => `    ${momentLine(moment)}`)

const momentLine = ({ atMs, by, text = '', cut, action }: ScenarioMoment): string => {
  const time = paint('gray', `${(atMs / 1000).toFixed(1).padStart(6)} s`)
  const words = action === undefined ? `${harmless(text)}${cut ? '…' : ''}` : `[${harmless(action)}]`
  if (by === 'caller') return `${time} ${paint('green', `▶ ${words}`)}`
  return by === 'assistant' ? `${time} ${paint('blue', `◀ ${words}`)}` : `${time} ${paint('gray', `  ${words}`)}`
}
