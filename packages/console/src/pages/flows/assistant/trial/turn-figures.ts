import type { TimelineEntry } from '@offhook/contract/v2/timeline.ts'
import type { Cost } from '@offhook/contract/v3/results.ts'
import { dataOf, type NoteData } from '#pages/calls/timeline/summarise.ts'

/** Figures of one answer. */
export interface TurnFigures {
  turn: number
  /** The caller's words; empty: none yet. */
  said: string
  firstSoundMs?: number
  firstTokenMs?: number
  tokens: number
  cost?: Cost
}

/** Figures of each turn, in order, from timeline entries. The first request of a turn is the one that the caller waits for. */
export const figuresOf = (entries: readonly TimelineEntry[]): TurnFigures[] => {
  const turns = new Map<number, TurnFigures>()
  const of = (turn: number): TurnFigures => turns.get(turn) ?? { turn, said: '', tokens: 0 }
  for (const entry of entries) {
    if (entry.kind === 'heard' && entry.final) turns.set(entry.turn, { ...of(entry.turn), said: entry.text })
    if (entry.kind === 'turn' && entry.firstSoundMs !== undefined)
      turns.set(entry.turn, { ...of(entry.turn), firstSoundMs: entry.firstSoundMs })
    if (entry.kind === 'note' && entry.name === 'model') turns.set(entry.turn, withRequest(of(entry.turn), dataOf(entry)))
  }
  return [...turns.values()].toSorted((a, b) => a.turn - b.turn)
}

const withRequest = (figures: TurnFigures, { firstTokenMs, promptTokens = 0, completionTokens = 0, cost }: NoteData): TurnFigures => {
  const first = figures.firstTokenMs ?? firstTokenMs
  const sum = sumOf([figures.cost, cost])
  return {
    ...figures,
    tokens: figures.tokens + promptTokens + completionTokens,
    ...(first !== undefined && { firstTokenMs: first }),
    ...(sum && { cost: sum }),
  }
}

/** Undefined if nothing has a price. */
export const sumOf = (costs: readonly (Cost | undefined)[]): Cost | undefined => {
  const known = costs.filter((cost) => cost !== undefined)
  const [first] = known
  return first && { currency: first.currency, amount: known.reduce((sum, { amount }) => sum + amount, 0) }
}
