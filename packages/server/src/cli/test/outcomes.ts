import type { ScenarioReport } from '@offhook/contract/assistant/scenario.ts'
import type { FoundScenario } from './find-scenarios.ts'

/** One scenario, run once or several times. */
export interface Outcome {
  name: string
  file?: string
  state: ScenarioReport['state']
  reports: ScenarioReport[]
}

export interface Repetition {
  times: number
  /** This part of them has to pass: 0 to 1. */
  minPassed: number
}

/** So many at a time, in the order given. */
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

/** What stands for all of them: the first that is not as it should be. */
export const notifiedOf = ({ reports }: Outcome): ScenarioReport | undefined => reports.find(({ state }) => state !== 'passed') ?? reports[0]
