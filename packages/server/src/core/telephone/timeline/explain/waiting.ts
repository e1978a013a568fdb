import type { FindingCode } from '@offhook/contract/v2/explanation.ts'
import type { AgentNotes } from '@offhook/contract/v3/agent-notes.ts'
import type { TimelineEntry } from '@offhook/contract/v2/timeline.ts'
import { seconds, sequencesOf, type Finder, type Found, type ExplainedTurn } from './story.ts'

interface Limit {
  code: FindingCode
  part: Exclude<keyof ExplainedTurn['ms'], 'total'>
  /** Milliseconds above which it is noticeable. */
  mostMs: number
}

/** A good answer starts one second after the caller's last sound: limits are each part's share of it plus a half. */
const limits: readonly Limit[] = [
  { code: 'slow_turn_end', part: 'silence', mostMs: 1_000 },
  { code: 'slow_recognition', part: 'recognition', mostMs: 500 },
  { code: 'slow_endpoint', part: 'endpoint', mostMs: 1_000 },
  { code: 'slow_model', part: 'model', mostMs: 1_000 },
  { code: 'slow_clause', part: 'clause', mostMs: 500 },
  { code: 'slow_voice', part: 'voice', mostMs: 500 },
]

/** Slow parts of each turn. A slow model hides the finding for the endpoint that calls it. */
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

/** Milliseconds of silence after the caller has spoken. */
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

/** Barge-in is not a fault, but explains why an answer was not heard. */
export const interruptions: Finder = (story) =>
  story.all('spoke').flatMap(({ cutBy, eventId, playedMs, sequence }): Found[] => {
    if (!cutBy) return []
    const values = { seconds: seconds(playedMs), words: cutBy.text }
    return [{ code: 'interrupted', severity: 'info', turn: story.turnOf(eventId), values, evidence: [sequence] }]
  })

/** A caller who continues within this time had only paused. */
const pauseMs = 2_000
/** Milliseconds of an answer below which it counts as unheard. */
const barelyAudibleMs = 700

/** One sentence became two turns: the first ended too early, and its answer fell into the second. */
export const splitTurns: Finder = (story) => {
  const spoken = story.heard.filter(({ typed }) => !typed)
  return spoken.flatMap((heard, index): Found[] => {
    const next = spoken[index + 1]
    if (!next) return []
    const onset = story
      .all('voice')
      .find(({ speaking, sequence, at }) => speaking && sequence < next.sequence && at > story.quietSince(heard))
    const gapMs = onset ? onset.at - story.quietSince(heard) : Infinity
    const answer = story.all('spoke').filter(({ eventId }) => story.turnOf(eventId) === heard.turn)
    const wasHeard = answer.some(({ completed, playedMs }) => completed || playedMs > barelyAudibleMs)
    if (!onset || gapMs > pauseMs || wasHeard) return []
    const evidence = [heard.sequence, onset.sequence, next.sequence]
    return [{ code: 'split_turn', severity: 'warning', turn: heard.turn, values: { ms: Math.round(gapMs) }, evidence }]
  })
}

export const unheardWords: Finder = (story) =>
  story.all('unclear').map(({ durationMs, text, sequence }): Found => ({
    code: 'unheard_words',
    severity: 'warning',
    turn: story.heard.findLast((heard) => heard.sequence < sequence)?.turn ?? 0,
    ...(text !== undefined && { text: 'explain.unheard_words.guess' }),
    values: { seconds: seconds(durationMs), ...(text !== undefined && { words: text }) },
    evidence: [sequence],
  }))

/** Milliseconds after a cut speech within which the end of the call is its cause. */
const soonThresholdMs = 2_000

/** The assistant hung up or transferred while still speaking. */
export const cutGoodbye: Finder = (story) => {
  const { end } = story
  const over = end?.reason === 'assistant_hangup' || end?.reason === 'transferred' ? end : undefined
  const last = story.all('spoke').at(-1)
  if (!over || !last || last.completed || last.cutBy || Math.abs(over.at - last.startedAt - last.playedMs) > soonThresholdMs) return []
  const values = { seconds: seconds(last.playedMs) }
  return [{ code: 'cut_goodbye', severity: 'warning', turn: story.turnOf(last.eventId), values, evidence: [last.sequence, over.sequence] }]
}
