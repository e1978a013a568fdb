import { seconds, type Finder, type Found } from './found.ts'

/** The caller took the floor; that is no fault, but it explains why an answer was not heard. */
export const interruptions: Finder = (story) =>
  story.all('spoke').flatMap(({ cutBy, eventId, playedMs, sequence }): Found[] => {
    if (!cutBy) return []
    const values = { seconds: seconds(playedMs), words: cutBy.text }
    return [{ code: 'interrupted', severity: 'info', turn: story.turnOf(eventId), values, evidence: [sequence] }]
  })

/** Whoever goes on so soon had only paused. */
const pauseMs = 2_000
/** Less than this of an answer is nothing. */
const barelyAudibleMs = 700

/** One sentence became two turns: the first was over too early, and its answer came into the second. */
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

/** Within this time after a speech was cut the call was over because of it. */
const soonThresholdMs = 2_000

/** The assistant hung up or transferred while it was still speaking. */
export const cutGoodbye: Finder = (story) => {
  const { end } = story
  const over = end?.reason === 'assistant_hangup' || end?.reason === 'transferred' ? end : undefined
  const last = story.all('spoke').at(-1)
  if (!over || !last || last.completed || last.cutBy || Math.abs(over.at - last.startedAt - last.playedMs) > soonThresholdMs) return []
  const values = { seconds: seconds(last.playedMs) }
  return [{ code: 'cut_goodbye', severity: 'warning', turn: story.turnOf(last.eventId), values, evidence: [last.sequence, over.sequence] }]
}
