import { defaultEndpointing, silenceAfter } from '#core/speech/turns/turn-silence.ts'
import { percentile, rounded } from '../../shared/percentiles.ts'
import { pausesMs, share, splitsAt } from './turns.ts'

/** A silence of a caller and what a detector says of it. */
export interface JudgedSpan {
  isEnd: boolean
  /** Inside a turn: how long the caller pauses. */
  pauseMs: number
  probability: number
  /** Words of the recogniser, for the rules of the service. */
  text: string
  language: string
  /** From the last voiced sample until the words are known. */
  knownAfterMs: number
}

/** How eot-bench lets a voice agent act on a detector: from `actionMs` on if the probability suffices, at `timeoutMs` in any case. */
interface Policy {
  threshold: number
  actionMs: number
  timeoutMs: number
}

const upTo = (from: number, to: number, step: number): number[] =>
  Array.from({ length: Math.round((to - from) / step) + 1 }, (_, nth) => Number((from + nth * step).toFixed(3)))

/** The grid of eot-bench (livekit/eot-bench, Apache-2.0). */
const policies: readonly Policy[] = upTo(0, 1, 0.01).flatMap((threshold) =>
  upTo(200, 1_000, 100).flatMap((actionMs) => upTo(1_000, 3_500, 500).map((timeoutMs) => ({ threshold, actionMs, timeoutMs }))),
)
/** Without a detector: what it calls the VAD baseline. */
const silences: readonly Policy[] = upTo(100, 3_500, 50).map((ms) => ({ threshold: 0, actionMs: ms, timeoutMs: ms }))

interface Outcome {
  /** Share of the pauses in which the agent speaks. */
  cut: number
  /** Mean silence after turns, in milliseconds. */
  delayMs: number
}

const outcomeOf = (spans: readonly JudgedSpan[], { threshold, actionMs, timeoutMs }: Policy): Outcome => {
  const speaksAfter = ({ probability }: JudgedSpan): number => (probability >= threshold ? Math.min(actionMs, timeoutMs) : timeoutMs)
  const [ends, pauses] = [spans.filter(({ isEnd }) => isEnd), spans.filter(({ isEnd }) => !isEnd)]
  const delay = ends.reduce((sum, span) => sum + speaksAfter(span), 0) / ends.length
  return { cut: share(pauses.filter((span) => span.pauseMs > speaksAfter(span)).length, pauses.length), delayMs: delay }
}

/** Best operating points of eot-bench; undefined: no policy keeps within the budget. */
const operatingPoints = (spans: readonly JudgedSpan[], grid: readonly Policy[]) => {
  const outcomes = grid.map((policy) => outcomeOf(spans, policy))
  const least = (values: readonly number[], digits: number): number | undefined =>
    values.length === 0 ? undefined : rounded(Math.min(...values), digits)
  const cutAt = (ms: number) =>
    least(
      outcomes.flatMap(({ cut, delayMs }) => (delayMs <= ms ? [cut] : [])),
      3,
    )
  const delayAt = (most: number) =>
    least(
      outcomes.flatMap(({ cut, delayMs }) => (cut <= most ? [delayMs] : [])),
      0,
    )
  return { cutAt300Ms: cutAt(300), cutAt600Ms: cutAt(600), delayMsAt5Percent: delayAt(0.05), delayMsAt10Percent: delayAt(0.1) }
}

/** Probability that an end is judged likelier than a pause. */
export const areaUnderCurve = (spans: readonly Pick<JudgedSpan, 'isEnd' | 'probability'>[]): number => {
  const [ends, pauses] = [spans.filter(({ isEnd }) => isEnd), spans.filter(({ isEnd }) => !isEnd)]
  const wins = (end: number, pause: number): number => (end > pause ? 1 : end === pause ? 0.5 : 0)
  const sum = ends.reduce((all, end) => all + pauses.reduce((won, pause) => won + wins(end.probability, pause.probability), 0), 0)
  return sum / (ends.length * pauses.length)
}

/** Log-odds moved by `shift`. */
const shifted = (probability: number, shift: number): number => {
  const odds = Math.log(Math.max(probability, 1e-9) / Math.max(1 - probability, 1e-9)) + shift
  return 1 / (1 + Math.exp(-odds))
}

/** Cut pauses and delays with the silence that a rule requires. The pauses last 0.3 to 1.5 s each: every one counts with each length. */
const withSilence = (spans: readonly JudgedSpan[], silenceMs: (span: JudgedSpan) => number) => {
  const [ends, pauses] = [spans.filter(({ isEnd }) => isEnd), spans.filter(({ isEnd }) => !isEnd)]
  const splits = pausesMs.map((pause) => share(pauses.filter((span) => splitsAt(silenceMs(span), pause)).length, pauses.length))
  const waits = ends.map(silenceMs)
  const events = ends.map((span) => Math.max(silenceMs(span), span.knownAfterMs))
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length
  return {
    split: rounded(mean(splits), 3),
    splits: splits.map((value) => rounded(value, 2)),
    meanSilenceMs: Math.round(mean(waits)),
    eventMs: { p50: percentile(events, 0.5, 0), p95: percentile(events, 0.95, 0) },
  }
}

const asService = (span: JudgedSpan, shift = 0): number => silenceAfter(span, shifted(span.probability, shift), defaultEndpointing).ms

/** Mean silence at which detectors are compared. */
const equalMs = 600

/** Shift of the log-odds with which the mean silence after turns is `equalMs`. */
const shiftFor = (spans: readonly JudgedSpan[]): number => {
  let [low, high] = [-12, 12]
  for (let step = 0; step < 40; step++) {
    const middle = (low + high) / 2
    if (withSilence(spans, (span) => asService(span, middle)).meanSilenceMs > equalMs) low = middle
    else high = middle
  }
  return high
}

const equalDelay = (spans: readonly JudgedSpan[]) => {
  const shift = shiftFor(spans)
  return withSilence(spans, (span) => asService(span, shift))
}

/** A detector with the policies of eot-bench, with those of the service as they are, and moved to an equal delay. */
export const scoreDetector = (spans: readonly JudgedSpan[]) => ({
  auc: rounded(areaUnderCurve(spans), 3),
  ...operatingPoints(spans, policies),
  service: withSilence(spans, (span) => asService(span)),
  serviceAt600Ms: equalDelay(spans),
})

/** Silence alone: no detector, no rules. */
export const scoreSilence = (spans: readonly JudgedSpan[]) => ({
  auc: 0.5,
  ...operatingPoints(spans, silences),
  service: withSilence(spans, () => defaultEndpointing.silenceMs),
  serviceAt600Ms: withSilence(spans, () => equalMs),
})

export type DetectorScore = ReturnType<typeof scoreDetector>
