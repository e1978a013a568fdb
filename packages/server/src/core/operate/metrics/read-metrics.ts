import type { Metrics } from '#core/kernel/ports/store/operate.ts'
import { Figures } from './figures.ts'
import { coarseStepMs, fineStepMs } from './measurements.ts'

const minute = 60_000
const maxFineMs = 60 * minute
/** Time after which every process has stored its figures. */
const lateMs = 6_000

/** Batch size, so that merging the figures of many processes does not delay calls. */
const pointsPerBatch = 60

interface MetricPoint {
  at: number
  figures: Figures
}

interface Readings {
  stepMs: number
  /** All points merged. */
  whole: Figures
  points: MetricPoint[]
}

/** Merges the figures of all processes; one point per step, including empty ones. */
export const readMetrics = async (metrics: Pick<Metrics, 'list'>, now: number, minutes: number): Promise<Readings> => {
  const spanMs = minutes * minute
  const stepMs = spanMs <= maxFineMs ? fineStepMs : coarseStepMs
  const until = now - lateMs - ((now - lateMs) % stepMs)
  const from = until - Math.ceil(spanMs / stepMs) * stepMs
  const points = Array.from({ length: (until - from) / stepMs }, (_, index) => ({ at: from + index * stepMs, figures: new Figures() }))
  const partMs = pointsPerBatch * stepMs
  for (let part = from; part < until; part += partMs)
    for (const { at, figures } of await metrics.list(stepMs, part, Math.min(part + partMs, until)))
      points[(at - from) / stepMs]?.figures.merge(figures)
  const whole = new Figures()
  for (const { figures } of points) whole.append(figures)
  return { stepMs, whole, points }
}
