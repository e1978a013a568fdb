import type { AgentNotes } from '@offhook/contract/v3/agent-notes.ts'
import type { TimelineEntryOf } from '@offhook/contract/v2/timeline.ts'
import { sequencesOf, type Finder, type Found } from './story.ts'

const groupsOf = <E>(entries: readonly E[], keyOf: (entry: E) => string): E[][] => [...Map.groupBy(entries, keyOf).values()]

/** Events with failed deliveries. A later success lowers the severity. */
export const endpointErrors: Finder = (story) =>
  groupsOf(story.all('attempt'), ({ eventId }) => eventId).flatMap((attempts): Found[] => {
    const failed = attempts.filter(({ error }) => error !== undefined)
    const last = failed.at(-1)
    if (!last) return []
    const notified = attempts.some(({ state }) => state === 'delivered')
    const values = { error: last.error ?? '', tries: failed.length }
    const severity = notified ? 'warning' : 'error'
    const text = notified ? ({ text: 'explain.endpoint_error.told' } as const) : undefined
    return [{ code: 'endpoint_error', severity, turn: story.turnOf(last.eventId), ...text, values, evidence: sequencesOf(failed) }]
  })

const weighty = new Set(['hangup', 'transfer', 'send_dtmf'])

/** Answers that came too late: the caller had already continued, or the call had ended. Pieces of one answer are one finding. */
export const discardedActions: Finder = (story) =>
  groupsOf(story.all('discarded'), ({ eventId, action, reason }) => `${eventId} ${action} ${reason}`).flatMap((discarded): Found[] => {
    const [first] = discarded
    if (!first) return []
    const { action, reason, turn } = first
    const severity = weighty.has(action) ? 'warning' : 'info'
    return [
      {
        code: 'action_discarded',
        severity,
        turn,
        ...(reason === 'ended' && { text: 'explain.action_discarded.ended' }),
        values: { action },
        evidence: sequencesOf(discarded),
      },
    ]
  })

/** Problems start with their subject: `speak 0: tts.voice: …`. */
const aboutVoice = /(^|: )tts[.:]|some of it could not be said|could not be played/
const aboutRecogniser = /(^|: )stt[.:]|^turn detector/
/** Reported with every slow answer; the turn times are more precise. */
const aboutTime = /^the answer took \d+ ms/

const codeOf = (message: string): Found['code'] => {
  if (aboutVoice.test(message)) return 'voice_replaced'
  return aboutRecogniser.test(message) ? 'recogniser_replaced' : 'action_refused'
}

/** Reports identical problems once. */
export const problems: Finder = (story) => {
  const notified = story.all('problem').filter(({ message }) => !aboutTime.test(message))
  return groupsOf(notified, ({ message }) => message).flatMap((same): Found[] => {
    const [first] = same
    if (!first) return []
    const turn = story.turnOf(first.eventId)
    return [{ code: codeOf(first.message), severity: 'warning', turn, values: { problem: first.message }, evidence: sequencesOf(same) }]
  })
}

type Note = TimelineEntryOf<'note'>
const notesOf = (notes: readonly Note[], name: keyof AgentNotes): Note[] => notes.filter((note) => note.name === name)

/** A failed request is less severe if a later one, or the second model, answered in the same turn. */
export const modelErrors: Finder = (story) => {
  const notes = notesOf(story.all('note'), 'model')
  return notes.flatMap(({ data, turn, sequence }): Found[] => {
    const { error, model = '?' } = Object(data) as Partial<AgentNotes['model']>
    if (error === undefined) return []
    const answered = notes.some((later) => later.turn === turn && later.sequence > sequence && !hasError(later))
    return [{ code: 'model_error', severity: answered ? 'warning' : 'error', turn, values: { model, error }, evidence: [sequence] }]
  })
}

const hasError = ({ data }: Note): boolean => (Object(data) as Partial<AgentNotes['model']>).error !== undefined

export const toolErrors: Finder = (story) =>
  notesOf(story.all('note'), 'tool').flatMap(({ data, turn, sequence }): Found[] => {
    const { name: tool = '?', status } = Object(data) as Partial<AgentNotes['tool']>
    if (status !== 'failed' && status !== 'refused') return []
    const severity = status === 'failed' ? 'error' : 'warning'
    return [
      {
        code: 'tool_error',
        severity,
        turn,
        ...(status === 'refused' && { text: 'explain.tool_error.refused' }),
        values: { tool },
        evidence: [sequence],
      },
    ]
  })

/** Sentences that claimed a deed which no tool had done, and were not said. */
export const stoppedClaims: Finder = (story) =>
  notesOf(story.all('note'), 'claim').flatMap(({ data, turn, sequence }): Found[] => {
    const { sentence = '…', verdict } = Object(data) as Partial<AgentNotes['claim']>
    return verdict === 'stopped' ? [{ code: 'claim_stopped', severity: 'warning', turn, values: { sentence }, evidence: [sequence] }] : []
  })

/** Keys of which the assistant was not notified. */
export const unheardKeys: Finder = (story) => {
  const pressed = story.all('key').filter(({ flowId }) => flowId !== undefined)
  const notified = story.all('event').some(({ type }) => type === 'dtmf_received')
  if (pressed.length === 0 || notified) return []
  return [{ code: 'event_not_subscribed', severity: 'warning', values: { count: pressed.length }, evidence: sequencesOf(pressed) }]
}
