import { Type, type Static } from 'typebox'
import { Input, Output } from '../values.ts'

const ms = (description: string) => Type.Optional(Type.Integer({ minimum: 0, maximum: 600_000, description }))
const count = (description: string) => Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000, description }))

/** The highest figures with which a scenario passes. */
export const Limits = Input({
  response_p50_ms: ms('Median time from the end of the caller’s words to the first words of the answer'),
  response_p95_ms: ms('The same, 95th percentile'),
  stop_p95_ms: ms('From the first sound of an interruption until the assistant is silent, 95th percentile'),
  cut_offs: count('Sentences of the caller that were split, or answered before they were over'),
  false_stops: count('Speeches that stopped although the caller did not interrupt'),
  missed_interruptions: count('Interruptions that did not stop the assistant'),
  word_error_percent: Type.Optional(Type.Number({ minimum: 0, maximum: 1000, description: 'Words that were heard wrong' })),
})
export type Limits = Static<typeof Limits>
export type LimitName = keyof Limits

const whole = (description: string) => Type.Optional(Type.Integer({ description }))

/** Measured in one call. Typed calls have only response times. */
export const CallFigures = Output({
  responsesMs: Type.Array(Type.Integer(), { description: 'One for each answer, in order' }),
  stopsMs: Type.Optional(Type.Array(Type.Integer(), { description: 'One for each interruption that stopped the assistant' })),
  sentences: whole('Of the caller'),
  cutOffs: whole('Of these, split or answered too early'),
  falseStops: whole('Speeches that stopped although the caller did not interrupt'),
  missedInterruptions: whole('Interruptions that did not stop the assistant'),
  words: whole('Said by the caller'),
  wordErrors: whole('Wrong, missing or extra words in what was heard'),
})
export type CallFigures = Static<typeof CallFigures>

/** The value of `part` in the sorted list (nearest rank). Undefined for an empty one. */
export const percentile = (values: readonly number[], part: number): number | undefined =>
  values.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(values.length * part) - 1)]

/** Several calls together. A figure that no call has is missing. */
export const sumOfFigures = (all: readonly CallFigures[]): CallFigures => {
  const sum = (name: Exclude<keyof CallFigures, 'responsesMs' | 'stopsMs'>) => {
    const known = all.flatMap((figures) => figures[name] ?? [])
    return known.length === 0 ? {} : { [name]: known.reduce((total, one) => total + one, 0) }
  }
  const stops = all.flatMap(({ stopsMs }) => (stopsMs ? [stopsMs] : []))
  return {
    responsesMs: all.flatMap(({ responsesMs }) => responsesMs),
    ...(stops.length > 0 && { stopsMs: stops.flat() }),
    ...sum('sentences'),
    ...sum('cutOffs'),
    ...sum('falseStops'),
    ...sum('missedInterruptions'),
    ...sum('words'),
    ...sum('wordErrors'),
  }
}

/** The figure that each limit is about. Undefined: not measured in this call. */
export const measured: { [Name in LimitName]-?: (figures: CallFigures) => number | undefined } = {
  response_p50_ms: ({ responsesMs }) => percentile(responsesMs, 0.5),
  response_p95_ms: ({ responsesMs }) => percentile(responsesMs, 0.95),
  stop_p95_ms: ({ stopsMs }) => stopsMs && percentile(stopsMs, 0.95),
  cut_offs: ({ cutOffs }) => cutOffs,
  false_stops: ({ falseStops }) => falseStops,
  missed_interruptions: ({ missedInterruptions }) => missedInterruptions,
  word_error_percent: ({ words, wordErrors }) =>
    words === undefined || wordErrors === undefined ? undefined : Math.round((1000 * wordErrors) / Math.max(1, words)) / 10,
}

export const limitNames = Object.keys(Limits.properties) as LimitName[]

/** Names of limits whose figure is not measured in this call. */
export const unmeasured = (limits: Limits, figures: CallFigures | undefined): LimitName[] =>
  limitNames.filter((name) => limits[name] !== undefined && (figures === undefined || measured[name](figures) === undefined))

/** One sentence for each figure beyond its limit. */
export const exceeded = (limits: Limits, figures: CallFigures): string[] =>
  limitNames.flatMap((name) => {
    const [limit, value] = [limits[name], measured[name](figures)]
    return limit === undefined || value === undefined || value <= limit ? [] : [`${name} is ${value}, and the limit is ${limit}.`]
  })
