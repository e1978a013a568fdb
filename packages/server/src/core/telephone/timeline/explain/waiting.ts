import type { FindingCode } from '@offhook/contract/v2/explanation.ts'
import type { AgentNotes } from '@offhook/contract/v3/agent-notes.ts'
import type { TimelineEntry } from '@offhook/contract/v2/timeline.ts'
import { seconds, sequencesOf, type Finder, type Found } from './found.ts'
import type { ExplainedTurn } from './turns.ts'

interface Limit {
  code: FindingCode
  part: Exclude<keyof ExplainedTurn['ms'], 'total'>
  /** Longer than this is noticed. */
  mostMs: number
}

/** A good answer sounds a second after the caller’s last sound: this is what each part may take of it, and a half more. */
const limits: readonly Limit[] = [
  { code: 'slow_turn_end', part: 'silence', mostMs: 1_000 },
  { code: 'slow_recognition', part: 'recognition', mostMs: 500 },
  { code: 'slow_endpoint', part: 'endpoint', mostMs: 1_000 },
  { code: 'slow_model', part: 'model', mostMs: 1_000 },
  { code: 'slow_clause', part: 'clause', mostMs: 500 },
  { code: 'slow_voice', part: 'voice', mostMs: 500 },
]

/** What took long in each turn. Where the model is known to be slow, the endpoint that asks it is not named, too. */
export const slowParts: Finder = (story, turns) => {
  const found: Found[] = []
  for (const { turn, ms } of turns) {
    const evidence = sequencesOf(story.entries.filter((entry) => isMeasured(entry, turn)))
    const slow = limits.filter(({ part, mostMs: maxMs }) => (ms[part] ?? 0) > maxMs)
    const hasModel = slow.some(({ part }) => part === 'model' || part === 'clause')
    for (const { code, part, mostMs: maxMs } of slow) {
      if (part === 'endpoint' && hasModel) continue
      const took = ms[part] ?? 0
      found.push({ code, severity: took > 2 * maxMs ? 'warning' : 'info', turn, values: { ms: took, limit: maxMs }, evidence })
    }
  }
  return found
}

const isMeasured = (entry: TimelineEntry, turn: number): boolean =>
  (entry.kind === 'turn' || (entry.kind === 'note' && entry.name === 'model')) && entry.turn === turn

const slowToolMs = 2_000

export const slowTools: Finder = (story) =>
  story.all('note').flatMap(({ name, data, turn, sequence }): Found[] => {
    const { name: tool = '?', ms = 0 } = Object(data) as Partial<AgentNotes['tool']>
    if (name !== 'tool' || ms <= slowToolMs) return []
    return [{ code: 'slow_tool', severity: 'warning', turn, values: { tool, ms }, evidence: [sequence] }]
  })

/** So long nothing was heard after the caller had spoken. */
const deadAirMs = 3_000
const longDeadAirMs = 6_000

/** Callers ask whether anybody is there. */
export const deadAir: Finder = (story) =>
  story.heard.flatMap((heard): Found[] => {
    const next = story.entries.find((entry) => entry.sequence > heard.sequence && breaksSilence(entry))
    if (!next) return []
    const ms = momentOf(next) - story.quietSince(heard)
    if (ms <= deadAirMs) return []
    const severity = ms > longDeadAirMs ? 'error' : 'warning'
    return [{ code: 'dead_air', severity, turn: heard.turn, values: { seconds: seconds(ms) }, evidence: [heard.sequence, next.sequence] }]
  })

const breaksSilence = (entry: TimelineEntry): boolean => {
  if (entry.kind === 'voice') return entry.speaking
  if (entry.kind === 'call') return ['ended', 'transferred', 'held'].includes(entry.state)
  return entry.kind === 'speaks' || entry.kind === 'spoke' || entry.kind === 'filler' || entry.kind === 'heard' || entry.kind === 'key'
}

const momentOf = (entry: TimelineEntry): number => (entry.kind === 'spoke' ? entry.startedAt : entry.at)
