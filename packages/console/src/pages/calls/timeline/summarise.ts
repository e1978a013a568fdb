import type { TimelineEntry, TimelineEntryOf, TimelineKind } from '@offhook/contract/v2/timeline.ts'
import { isFlowId } from '../parts/history-entry.ts'
import type { TimelineText } from './text.ts'
import type { TimelinePicture } from './timeline-book.ts'
import type { AgentNotes, Citation } from '@offhook/contract/v3/agent-notes.ts'

/** An entry in one line: its subject, and a figure at the end. */
interface Summary {
  words: string
  tail?: string
}

const short = 200

type EventTypes = TimelinePicture['eventTypes']
type Summarise<K extends TimelineKind> = (entry: TimelineEntryOf<K>, say: TimelineText, eventTypes: EventTypes) => Summary

const ways: { [K in TimelineKind]: Summarise<K> } = {
  call: (entry, say) => ({ words: [say.moments[entry.state], entry.explanation ?? callParties(entry)].filter(Boolean).join(' · ') }),
  routing: ({ explanation, because, action, target }) => ({ words: explanation ?? `${because} · ${action}`, tail: target }),
  sound: ({ state, of, deviceId }, say) => ({
    words: `${say.soundOf[of]}: ${say.sounds[state]}`,
    ...(deviceId !== undefined && { tail: deviceId }),
  }),
  quality: (entry, say) => ({
    words: `${say.soundOf[entry.of]}: ${say.quality(entry)}`,
    ...(entry.deviceId !== undefined && { tail: entry.deviceId }),
  }),
  voice: ({ speaking }, say) => ({ words: say.voice[`${speaking}`] }),
  heard: ({ text, final, typed }, say) => ({ words: `${text}${final ? '' : ' …'}`, ...(typed && { tail: say.typed }) }),
  key: ({ digit }) => ({ words: digit }),
  event: ({ type, body }) => ({ words: [type, wordsIn(body)].filter(Boolean).join(' · ') }),
  attempt: (entry, say, eventTypes) => attempt(entry, say, eventTypes.get(entry.eventId)),
  message: ({ body }) => ({ words: body.slice(0, short) }),
  action: ({ action }) => ({ words: actionWords(action) }),
  speaks: ({ text }, say) => ({ words: text ?? say.sound }),
  briefing: (entry, say) => ({ words: say.briefing(entry) }),
  spoke: ({ text, playedMs, cutBy }, say) => ({
    words: [text ?? say.sound, cutBy && say.cutBy(cutBy.text, say.interruptions[cutBy.reason])].filter(Boolean).join(' · '),
    tail: say.ms(String(playedMs)),
  }),
  ducked: ({ ducked }, say) => ({ words: say.ducked[`${ducked}`] }),
  unclear: ({ durationMs, text }, say) => ({ words: text ?? say.unclearVoice, tail: say.ms(String(durationMs)) }),
  filler: ({ text }) => ({ words: text }),
  backchannel: ({ text }) => ({ words: text }),
  discarded: ({ action, reason }, say) => ({ words: `${action} · ${say.actionsDiscarded[reason]}` }),
  turn: ({ turn, firstSoundMs, end }, say) => ({
    words: [say.turnNumber(turn), end && say.turnEnd(end)].filter(Boolean).join(' · '),
    ...(firstSoundMs !== undefined && { tail: say.ms(String(firstSoundMs)) }),
  }),
  note: (entry, say) => noted(entry, say),
  problem: ({ message }) => ({ words: message }),
}

/** `eventTypes`: types of events that entries refer to by id. */
export const summarise = (entry: TimelineEntry, say: TimelineText, eventTypes: EventTypes): Summary =>
  (ways[entry.kind] as Summarise<TimelineKind>)(entry, say, eventTypes)

/** An assistant has no number, and its id means nothing to a reader. */
const callParties = ({ from, to }: TimelineEntryOf<'call'>): string =>
  [from, to].filter((party) => party !== undefined && !isFlowId(party)).join(' → ')

const attempt = (
  { error, state, response, channel, durationMs }: TimelineEntryOf<'attempt'>,
  say: TimelineText,
  eventType: string | undefined,
): Summary => {
  const outcome = error ?? (response?.status === undefined ? say.states[state] : `${response.status} ${say.states[state]}`)
  return { words: [eventType, outcome, say.channels[channel]].filter(Boolean).join(' · '), tail: say.ms(String(durationMs)) }
}

/** A model request, a tool call, a knowledge lookup; other notes unchanged. */
const noted = (entry: TimelineEntryOf<'note'>, say: TimelineText): Summary => {
  const data = dataOf(entry)
  const { notes } = say
  const name = notes.names[entry.name] ?? entry.name
  const summary = (words: readonly (string | undefined)[], tail?: string): Summary => ({
    words: [name, ...words].filter(Boolean).join(' · ').slice(0, short),
    ...(tail !== undefined && { tail }),
  })
  if (entry.name === 'model')
    return summary(
      [data.model, data.error, notes.tokens(data.promptTokens ?? 0, data.completionTokens ?? 0), costOf(data)],
      data.firstTokenMs === undefined ? undefined : notes.firstToken(data.firstTokenMs),
    )
  if (entry.name === 'tool')
    return summary(
      [`${data.name ?? '?'} ${inLine(data.arguments)}`, notes.statuses[data.status ?? ''] ?? data.status],
      data.ms === undefined ? undefined : say.ms(String(data.ms)),
    )
  if (entry.name === 'knowledge') return summary([inLine(data.query), passagesOf(data).map(sourceOf).join('; ') || notes.nothingFound])
  if (entry.name === 'claim')
    return summary([`“${data.sentence ?? '…'}”`, data.receipt === undefined ? notes.noReceipt : `↔ ${data.receipt}`])
  if (entry.name === 'assistant')
    return summary([
      data.version === undefined ? undefined : notes.version(data.version),
      data.model,
      data.key === undefined ? undefined : notes.key(data.key, data.does ?? ''),
      data.limit === undefined ? undefined : notes.limit(data.limit),
    ])
  return summary([inLine(entry.data)])
}

const costOf = ({ cost }: NoteData): string | undefined => cost && `${cost.amount} ${cost.currency}`

const wordsIn = (value: unknown): string => {
  const { text, digit, reason } = (value ?? {}) as { text?: unknown; digit?: unknown; reason?: unknown }
  return [text, digit, reason].find((one) => typeof one === 'string')?.slice(0, short) ?? ''
}

const actionWords = (action: unknown): string => {
  const { type, target, ssml } = (action ?? {}) as { type?: unknown; target?: unknown; ssml?: unknown }
  const rest = wordsIn(action) || [target, ssml].find((one) => typeof one === 'string')?.slice(0, short)
  return [typeof type === 'string' ? type : '?', rest].filter(Boolean).join(' · ')
}

/** Notes of our assistant; other endpoints may use any names and fields, so all are optional. */
export type NoteData = Partial<
  AgentNotes['assistant'] & AgentNotes['model'] & AgentNotes['tool'] & AgentNotes['claim'] & AgentNotes['knowledge']
>

export const dataOf = ({ data }: TimelineEntryOf<'note'>): NoteData =>
  typeof data === 'object' && data !== null && !Array.isArray(data) ? data : {}

export const passagesOf = (data: NoteData): readonly Citation[] =>
  Array.isArray(data.passages) ? data.passages.filter((one) => typeof one === 'object' && one !== null) : []

/** In one line; objects as JSON. */
export const inLine = (value: unknown): string => (value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value))

/** `prices.md, Opening hours, p. 2`. */
export const sourceOf = ({ document, heading, page }: Citation): string =>
  [document, heading, page !== undefined && `p. ${page}`].filter(Boolean).join(', ')
