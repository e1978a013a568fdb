import type { OutputOf } from '#api/use-service.ts'
import type { PartTime } from '../timeline/turn-bar.tsx'

type Explanation = OutputOf<'explainCall'>

export type ExplainedTurn = Explanation['turns'][number]

export type Finding = Explanation['findings'][number]

/** Causes of the caller's wait, in order. */
export const waitSteps = ['silence', 'recognition', 'endpoint', 'model', 'clause', 'voice'] as const

export type WaitStep = (typeof waitSteps)[number]

/** Milliseconds per cause. For an endpoint that reports its model only the remainder counts: the model and its first clause are inside. */
export const sharesOf = ({ ms }: Pick<ExplainedTurn, 'ms'>): { step: WaitStep; ms: number }[] => {
  const within = (ms.model ?? 0) + (ms.clause ?? 0)
  const endpoint = ms.endpoint === undefined ? undefined : Math.max(0, ms.endpoint - within)
  return waitSteps.flatMap((step) => {
    const took = step === 'endpoint' ? endpoint : ms[step]
    return took === undefined || (step === 'endpoint' && took === 0 && within > 0) ? [] : [{ step, ms: took }]
  })
}

/** The same, consecutively, for a bar. */
export const waitsOf = (turn: Pick<ExplainedTurn, 'ms'>): PartTime<WaitStep>[] => {
  let fromMs = 0
  return sharesOf(turn).map(({ step, ms }) => {
    const part = { step, fromMs, toMs: fromMs + ms }
    fromMs = part.toMs
    return part
  })
}

/** Milliseconds from the caller's last sound to the first of the answer, as far as known. */
export const waitedMs = (turn: Pick<ExplainedTurn, 'ms'>): number => turn.ms.total ?? waitsOf(turn).at(-1)?.toMs ?? 0
