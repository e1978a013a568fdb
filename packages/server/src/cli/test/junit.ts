import { limitNames, measured, sumOfFigures } from '@offhook/contract/assistant/call-figures.ts'
import { inWords } from '@offhook/sdk/simulate/models.ts'
import type { ScenarioReport } from '@offhook/contract/assistant/scenario.ts'
import type { FoundScenario } from './find-scenarios.ts'

/** JUnit XML for CI systems. */
export const junitOf = (outcomes: readonly Outcome[]): string => {
  const count = (state: Outcome['state']): number => outcomes.filter((one) => one.state === state).length
  const head = `<testsuite name="offhook" tests="${outcomes.length}" failures="${count('failed')}" errors="${count('error')}" time="${seconds(outcomes)}">`
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<testsuites>',
    head,
    ...outcomes.map(caseOf),
    '</testsuite>',
    '</testsuites>',
    '',
  ].join('\n')
}

const caseOf = (outcome: Outcome): string => {
  const { name, file = 'flow', state } = outcome
  const open = `<testcase name="${escaped(name)}" classname="${escaped(file)}" time="${seconds([outcome])}"`
  const report = notifiedOf(outcome)
  const properties = propertiesOf(outcome)
  if (state === 'passed' || !report) return properties === '' ? `${open}/>` : `${open}>\n${properties}</testcase>`
  const element = state === 'error' ? 'error' : 'failure'
  const messages = report.failures.map(({ message }) => message)
  const text = `${messages.join('\n')}\n\n${inWords(report.transcript)}`
  return `${open}>\n${properties}<${element} message="${escaped(messages[0] ?? state)}">${escaped(text)}</${element}>\n</testcase>`
}

/** The figures under the names of their limits. */
const propertiesOf = ({ reports }: Outcome): string => {
  const figures = sumOfFigures(reports.flatMap((report) => report.figures ?? []))
  const known = limitNames.flatMap((name) => {
    const value = measured[name](figures)
    return value === undefined ? [] : [`<property name="${name}" value="${value}"/>\n`]
  })
  return known.length === 0 ? '' : `<properties>\n${known.join('')}</properties>\n`
}

const seconds = (outcomes: readonly Outcome[]): string =>
  (outcomes.flatMap(({ reports }) => reports).reduce((sum, { tookMs }) => sum + tookMs, 0) / 1000).toFixed(3)

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** XML does not allow control characters. */
const escaped = (text: string): string =>
  // oxlint-disable-next-line no-control-regex -- these are what it is about
  text.replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, ' ').replaceAll(/[&<>"]/g, (one) => entities[one] ?? one)

/** One scenario, run once or several times. */
export interface Outcome {
  name: string
  file?: string
  state: ScenarioReport['state']
  reports: ScenarioReport[]
}

/** Runs up to `jobs` items concurrently; results are in the order given. */
export const inParallel = async <T, R>(items: readonly T[], jobs: number, work: (item: T) => Promise<R>): Promise<R[]> => {
  const results: R[] = []
  let next = 0
  const worker = async (): Promise<void> => {
    for (let place = next++; place < items.length; place = next++) results[place] = await work(items[place] as T)
  }
  await Promise.all(Array.from({ length: Math.min(jobs, items.length) }, worker))
  return results
}

export const outcomeOf = ({ scenario: { name }, file }: FoundScenario, reports: ScenarioReport[], minPassed: number): Outcome => {
  const passed = reports.filter(({ state }) => state === 'passed').length
  const isError = reports.some(({ state }) => state === 'error')
  const state = passed >= minPassed * reports.length ? 'passed' : isError ? 'error' : 'failed'
  return { name, ...(file !== undefined && { file }), state, reports }
}

/** The representative report: the first that did not pass. */
export const notifiedOf = ({ reports }: Outcome): ScenarioReport | undefined =>
  reports.find(({ state }) => state !== 'passed') ?? reports[0]
