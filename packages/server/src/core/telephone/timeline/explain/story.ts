import type { TimelineEntry, TimelineEntryOf, TimelineKind } from '@offhook/contract/v2/timeline.ts'
import type { Explanation, FindingCode } from '@offhook/contract/v2/explanation.ts'
import type { TextKey } from '#core/kernel/translations/index.ts'
import type { AgentNotes } from '@offhook/contract/v3/agent-notes.ts'

/** Entries of one call in order, with lookups. */
export class Story {
  readonly entries: readonly TimelineEntry[]
  readonly #kinds: Map<TimelineKind, TimelineEntry[]>
  readonly #turns = new Map<string, number>()

  constructor(entries: readonly TimelineEntry[]) {
    this.entries = entries
    this.#kinds = Map.groupBy(entries, ({ kind }) => kind)
    for (const entry of entries) if (entry.kind === 'event') this.#turns.set(entry.eventId, entry.turn)
  }

  all<K extends TimelineKind>(kind: K): readonly TimelineEntryOf<K>[] {
    return (this.#kinds.get(kind) ?? []) as TimelineEntryOf<K>[]
  }

  /** Turn of the event; undefined when the event is not in the timeline. */
  turnOf(eventId: string | undefined): number | undefined {
    return eventId === undefined ? undefined : this.#turns.get(eventId)
  }

  /** Final transcripts of the caller. */
  get heard(): TimelineEntryOf<'heard'>[] {
    return this.all('heard').filter(({ final }) => final)
  }

  get end(): TimelineEntryOf<'call'> | undefined {
    return this.all('call').findLast(({ state }) => state === 'ended')
  }

  /** Time of the caller's last sound in a turn; the transcript comes later. */
  quietSince({ at, turn }: Pick<TimelineEntryOf<'heard'>, 'at' | 'turn'>): number {
    const times = this.all('turn').find((one) => one.turn === turn)
    return at - (times?.decidedMs ?? 0)
  }
}

/** A finding before it is put into words. */
export interface Found {
  code: FindingCode
  severity: Explanation['findings'][number]['severity']
  turn?: number | undefined
  /** Overrides the text of the code. */
  text?: TextKey
  values?: Readonly<Record<string, string | number>>
  /** The rule that routed the call; shown as {rule}. */
  rule?: TimelineEntryOf<'routing'>
  evidence: readonly number[]
}

/** Finds one kind of finding. */
export type Finder = (story: Story, turns: readonly ExplainedTurn[]) => Found[]

const ranks = { error: 0, warning: 1, info: 2 }

/** Highest severity first, then oldest first. */
export const worstFirst = (found: readonly Found[]): Found[] =>
  found.toSorted((a, b) => ranks[a.severity] - ranks[b.severity] || (a.evidence[0] ?? 0) - (b.evidence[0] ?? 0))

export const sequencesOf = (entries: readonly { sequence: number }[]): number[] => entries.map(({ sequence }) => sequence)

/** Seconds for display: 1.4 s. */
export const seconds = (ms: number): string => (ms / 1000).toFixed(1)

export type ExplainedTurn = Explanation['turns'][number]
type Times = ExplainedTurn['ms']
type Part = NonNullable<ExplainedTurn['slowest']>

const parts = ['silence', 'recognition', 'endpoint', 'model', 'clause', 'voice', 'total'] as const

/** Times of each turn; turn 0 precedes the caller's first words. */
export const turnsOf = (story: Story): ExplainedTurn[] => {
  const numbers = new Set([...story.heard, ...story.all('turn')].map(({ turn }) => turn))
  for (const { eventId } of story.all('spoke')) numbers.add(story.turnOf(eventId) ?? 0)
  return [...numbers].toSorted((a, b) => a - b).map((turn) => explainTurn(story, turn))
}

const explainTurn = (story: Story, turn: number): ExplainedTurn => {
  const caller = joined(story.heard.filter((heard) => heard.turn === turn))
  const answers = story.all('spoke').filter(({ eventId }) => (story.turnOf(eventId) ?? 0) === turn)
  const assistant = joined(answers)
  const times = story.all('turn').find((one) => one.turn === turn)
  const ms = timesOf(times, firstAnswerOfModel(story, turn))
  const slowest = slowestOf(ms)
  return {
    turn,
    ...(caller !== '' && { caller }),
    ...(assistant !== '' && { assistant }),
    ...(answers.some(({ completed }) => !completed) && { cut: true }),
    ...(times?.end && { rule: times.end.rule }),
    ms,
    ...(slowest && { slowest }),
  }
}

const joined = (entries: readonly { text?: string }[]): string =>
  entries
    .map(({ text = '' }) => text.trim())
    .filter((text) => text !== '')
    .join(' ')

/** The bundled assistant reports its model times; others may use the same note. */
const firstAnswerOfModel = (story: Story, turn: number): Partial<AgentNotes['model']> | undefined =>
  story
    .all('note')
    .filter((note) => note.name === 'model' && note.turn === turn)
    .map(({ data }) => Object(data) as Partial<AgentNotes['model']>)
    .find(({ firstTokenMs }) => typeof firstTokenMs === 'number')

const timesOf = (times: TimelineEntryOf<'turn'> | undefined, model: Partial<AgentNotes['model']> | undefined): Times => {
  const { end, endpointMs, sttFinalMs, sentMs, answeredMs, firstSoundMs } = times ?? {}
  const known: { [Name in keyof Times]: number | undefined } = {
    silence: end?.silenceMs ?? endpointMs,
    recognition: between(endpointMs, sttFinalMs),
    endpoint: between(sentMs, answeredMs),
    model: model?.firstTokenMs,
    clause: between(model?.firstTokenMs, model?.firstClauseMs),
    voice: between(answeredMs, firstSoundMs),
    total: firstSoundMs,
  }
  const ms: Times = {}
  for (const name of parts) if (known[name] !== undefined) ms[name] = known[name]
  return ms
}

const between = (from: number | undefined, to: number | undefined): number | undefined =>
  from === undefined || to === undefined ? undefined : Math.max(0, to - from)

/** Model time is part of the endpoint time, and more specific. */
const slowestOf = ({ total: _total, ...ms }: Times): Part | undefined => {
  const ofModel = (ms.model ?? 0) + (ms.clause ?? 0)
  const own = { ...ms, ...(ms.endpoint !== undefined && { endpoint: Math.max(0, ms.endpoint - ofModel) }) }
  const [slowest] = (Object.entries(own) as [Part, number][]).toSorted(([, a], [, b]) => b - a)
  return slowest && slowest[1] > 0 ? slowest[0] : undefined
}
