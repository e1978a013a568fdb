import type { Explanation } from '@offhook/contract/v2/explanation.ts'
import type { AgentNotes } from '@offhook/contract/v3/agent-notes.ts'
import type { TimelineEntryOf } from '@offhook/contract/v2/timeline.ts'
import type { Story } from './story.ts'

export type ExplainedTurn = Explanation['turns'][number]
type Times = ExplainedTurn['ms']
type Part = NonNullable<ExplainedTurn['slowest']>

const parts = ['silence', 'recognition', 'endpoint', 'model', 'clause', 'voice', 'total'] as const

/** Who waited for whom in each turn; 0 is what was said before the caller said anything. */
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

/** The assistant that we ship says how long its model took; others may, in the same words. */
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

/** What the model took is a part of what the endpoint took, and says more. */
const slowestOf = ({ total: _total, ...ms }: Times): Part | undefined => {
  const ofModel = (ms.model ?? 0) + (ms.clause ?? 0)
  const own = { ...ms, ...(ms.endpoint !== undefined && { endpoint: Math.max(0, ms.endpoint - ofModel) }) }
  const [slowest] = (Object.entries(own) as [Part, number][]).toSorted(([, a], [, b]) => b - a)
  return slowest && slowest[1] > 0 ? slowest[0] : undefined
}
