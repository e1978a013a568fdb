import { measured, percentile, sumOfFigures, type CallFigures } from '@offhook/contract/assistant/call-figures.ts'
import type { ScenarioMoment, ScenarioReport } from '@offhook/contract/assistant/scenario.ts'
import { unjudgedIn, unmeasuredIn } from '@offhook/sdk/simulate/run-scenario.ts'
import { harmless, paint } from '../terminal/paint.ts'
import { notifiedOf, type Outcome } from './junit.ts'

/** One line when it passed; otherwise the reason and the conversation. */
export const linesOf = (outcome: Outcome): string => {
  const { name, file, state, reports } = outcome
  const passed = reports.filter((report) => report.state === 'passed').length
  const times = reports.length > 1 ? ` ${passed} of ${reports.length}` : ''
  const report = notifiedOf(outcome)
  const took = paint('gray', ` ${report?.tookMs ?? 0} ms${file === undefined ? '' : `  ${file}`}`)
  const figures = sumOfFigures(reports.flatMap((one) => one.figures ?? []))
  const measuredLines = reports.some((one) => one.figures) ? [`  ${figuresLine(figures)}`] : []
  if (state === 'passed') return [`${paint('green', `✔ ${harmless(name)}`)}${times}${took}`, ...measuredLines].join('\n')
  return [
    `${paint('red', `✖ ${harmless(name)}`)}${times}${took}`,
    ...measuredLines,
    ...(report ? [...failureLines(report), ...transcriptLines(report)] : []),
  ].join('\n')
}

/** `answers: 3, p50 840 ms, p95 1210 ms; cut-offs: 0 of 3; …` */
const figuresLine = (figures: CallFigures): string => {
  const { responsesMs, stopsMs, sentences, cutOffs, falseStops, missedInterruptions, words } = figures
  const spread = (values: readonly number[]): string =>
    values.length === 0 ? '' : `, p50 ${percentile(values, 0.5)} ms, p95 ${percentile(values, 0.95)} ms`
  const parts = [
    `answers: ${responsesMs.length}${spread(responsesMs)}`,
    ...(stopsMs?.length ? [`stops: ${stopsMs.length}${spread(stopsMs)}`] : []),
    ...(cutOffs === undefined ? [] : [`cut-offs: ${cutOffs} of ${sentences ?? 0}`]),
    ...(falseStops === undefined ? [] : [`false stops: ${falseStops}`]),
    ...(missedInterruptions === undefined ? [] : [`missed interruptions: ${missedInterruptions}`]),
    ...(words === undefined ? [] : [`word errors: ${measured.word_error_percent(figures)} % of ${words}`]),
  ]
  return paint('gray', parts.join('; '))
}

export const summaryOf = (outcomes: readonly Outcome[]): string => {
  const count = (state: Outcome['state']): number => outcomes.filter((one) => one.state === state).length
  const [passed, failed, broken] = [count('passed'), count('failed'), count('error')]
  const reports = outcomes.flatMap((outcome) => outcome.reports)
  const unjudged = reports.reduce((sum, report) => sum + unjudgedIn(report), 0)
  const unmeasured = reports.reduce((sum, report) => sum + unmeasuredIn(report), 0)
  const figures = reports.flatMap((report) => report.figures ?? [])
  const parts = [
    `${passed} passed`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(broken > 0 ? [`${broken} could not be run`] : []),
    ...(unjudged > 0 ? [`${unjudged} not judged`] : []),
    ...(unmeasured > 0 ? [`${unmeasured} limits not measured (--live --voice)`] : []),
  ]
  const total = figures.length > 1 ? `${figuresLine(sumOfFigures(figures))}\n` : ''
  return total + paint(failed + broken > 0 ? 'red' : 'green', parts.join(', '))
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
