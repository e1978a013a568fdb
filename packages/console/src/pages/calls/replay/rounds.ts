import type { ScenarioMoment, ScenarioReport, ScenarioStep } from '@offhook/contract/assistant/scenario.ts'
import { isOfCaller } from '#lazy-parts/scenarios/step-words.ts'

/** What the caller did, what came of it in the call, and what comes of it today. */
export interface Round {
  /** Missing: before the caller did anything. */
  caller: ScenarioStep | undefined
  before: readonly ScenarioStep[]
  now: readonly ScenarioMoment[]
  failures: ScenarioReport['failures']
}

type Replay = Pick<ScenarioReport, 'transcript' | 'failures'>

/** Puts a call and its replay side by side, round by round. The failures of a replay count what the caller does, from 1; 0 is the beginning. */
export const roundsOf = (steps: readonly ScenarioStep[], { transcript, failures }: Replay): Round[] => {
  const before = groupsOf(steps, isOfCaller)
  const now = groupsOf(transcript, ({ by }) => by === 'caller')
  return before
    .map(({ first, rest }, index) => ({
      caller: first,
      before: rest,
      now: now[index]?.rest ?? [],
      failures: failures.filter(({ step }) => step === index),
    }))
    .filter((round) => round.caller !== undefined || round.before.length + round.now.length + round.failures.length > 0)
}

/** Each group but the one at the beginning has a first that begins it. */
const groupsOf = <T>(items: readonly T[], isFirst: (item: T) => boolean): { first: T | undefined; rest: T[] }[] => {
  const groups: { first: T | undefined; rest: T[] }[] = [{ first: undefined, rest: [] }]
  for (const item of items)
    if (isFirst(item)) groups.push({ first: item, rest: [] })
    else groups.at(-1)?.rest.push(item)
  return groups
}
