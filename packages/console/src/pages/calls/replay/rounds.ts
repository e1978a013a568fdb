import type { ScenarioReport, ScenarioStep, ScenarioMoment } from '@offhook/contract/assistant/scenario.ts'
import { isOfCaller } from '#lazy-parts/scenarios/step-words.ts'

/** A step of the caller, with the reactions in the call and in the replay. */
export interface Round {
  /** Undefined: before the caller's first step. */
  caller: ScenarioStep | undefined
  before: readonly ScenarioStep[]
  now: readonly ScenarioMoment[]
  failures: ScenarioReport['failures']
}

type Replay = Pick<ScenarioReport, 'transcript' | 'failures'>

/** Aligns a call with its replay, round by round. Failures of a replay are numbered by the caller's steps, from 1; 0 is the beginning. */
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

/** Every group but the initial one starts with a `first`. */
const groupsOf = <T>(items: readonly T[], isFirst: (item: T) => boolean): { first: T | undefined; rest: T[] }[] => {
  const groups: { first: T | undefined; rest: T[] }[] = [{ first: undefined, rest: [] }]
  for (const item of items)
    if (isFirst(item)) groups.push({ first: item, rest: [] })
    else groups.at(-1)?.rest.push(item)
  return groups
}
