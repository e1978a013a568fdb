import type { TimelineEntryOf } from '@offhook/contract/v2/timeline.ts'

export const steps = ['pause', 'recognition', 'endpoint', 'voice'] as const
export type Step = (typeof steps)[number]

export interface StepTime {
  step: Step
  fromMs: number
  toMs: number
}

/**
 * Where the time of a turn went, one step after the other. Recognition runs while silence is waited for: only what it took longer counts as
 * its own. What is not known is left out, and ends the row.
 */
export const stepsOf = ({ endpointMs, sttFinalMs, decidedMs, sentMs, answeredMs, firstSoundMs }: TimelineEntryOf<'turn'>): StepTime[] => {
  const recognised = decidedMs ?? latest(endpointMs, sttFinalMs)
  const ends: Record<Step, number | undefined> = {
    pause: endpointMs ?? recognised,
    recognition: latest(recognised, sentMs),
    endpoint: answeredMs,
    voice: firstSoundMs,
  }
  let fromMs = 0
  return steps.flatMap((step) => {
    const end = ends[step]
    if (end === undefined) return []
    const time = { step, fromMs, toMs: Math.max(fromMs, end) }
    fromMs = time.toMs
    return [time]
  })
}

/** When the answer was heard, as far as it is known. */
export const endOf = (times: readonly StepTime[]): number => times.at(-1)?.toMs ?? 0

const latest = (...moments: (number | undefined)[]): number | undefined => {
  const known = moments.filter((moment) => moment !== undefined)
  return known.length === 0 ? undefined : Math.max(...known)
}

export const median = (values: readonly number[]): number | undefined => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]
}
