import type { TimelineEntryOf } from '@offhook/contract/v2/timeline.ts'

export const steps = ['pause', 'recognition', 'endpoint', 'voice'] as const

type Step = (typeof steps)[number]

export interface StepTime {
  step: Step
  fromMs: number
  toMs: number
}

/**
 * Time of a turn by step. Recognition runs during the silence: only its excess counts as its own. Unknown steps are omitted, and end the
 * row.
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

/** When the answer was heard, as far as known. */
export const endOf = (times: readonly StepTime[]): number => times.at(-1)?.toMs ?? 0

const latest = (...moments: (number | undefined)[]): number | undefined => {
  const known = moments.filter((moment) => moment !== undefined)
  return known.length === 0 ? undefined : Math.max(...known)
}

export const median = (values: readonly number[]): number | undefined => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]
}
