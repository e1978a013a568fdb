import type { ScenarioMoment, ScenarioReport, ScenarioStep } from '@offhook/contract/assistant/scenario.ts'

/** What the caller did, what came of it in the call, and what comes of it today. */
export interface Round {
  /** Missing: before the caller did anything. */
  caller: ScenarioStep | undefined
  before: readonly ScenarioStep[]
  now: readonly ScenarioMoment[]
  failures: ScenarioReport['failures']
}

/** Of waiting and hanging up nothing is said: they belong to the round before. */
const beginsRound = (step: ScenarioStep): boolean => 'say' in step || 'press' in step

const isOfRound = ({ by, text, action = '' }: ScenarioMoment): boolean =>
  by === 'caller' && (text !== undefined || action.startsWith('press'))

/** Puts a call and its replay side by side, round by round. */
export const roundsOf = (
  steps: readonly ScenarioStep[],
  { transcript, failures }: Pick<ScenarioReport, 'transcript' | 'failures'>,
): Round[] => {
  const rounds: { caller: ScenarioStep | undefined; before: ScenarioStep[]; numbers: number[] }[] = [
    { caller: undefined, before: [], numbers: [0] },
  ]
  for (const [index, step] of steps.entries()) {
    if (beginsRound(step)) rounds.push({ caller: step, before: [], numbers: [] })
    else rounds.at(-1)?.before.push(step)
    rounds.at(-1)?.numbers.push(index + 1)
  }
  const now: ScenarioMoment[][] = [[]]
  for (const moment of transcript)
    if (isOfRound(moment)) now.push([])
    else now.at(-1)?.push(moment)
  return rounds
    .map(({ caller, before, numbers }, index) => ({
      caller,
      before,
      now: now[index] ?? [],
      failures: failures.filter(({ step }) => numbers.includes(step)),
    }))
    .filter((round) => round.caller !== undefined || round.before.length + round.now.length + round.failures.length > 0)
}
