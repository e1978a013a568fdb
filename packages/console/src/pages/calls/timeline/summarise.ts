import type { TimelineEntry, TimelineEntryOf, TimelineKind } from '@offhook/contract/v2/timeline.ts'
import type { TimelineText } from './text.ts'

/** An entry in one line: what it is about, and a figure at the end. */
export interface Summary {
  words: string
  tail?: string
}

const short = 200

type Summarise<K extends TimelineKind> = (entry: TimelineEntryOf<K>, say: TimelineText) => Summary

const ways: { [K in TimelineKind]: Summarise<K> } = {
  call: (entry, say) => ({ words: [say.moments[entry.state], entry.explanation ?? callParties(entry)].filter(Boolean).join(' · ') }),
  voice: ({ speaking }, say) => ({ words: say.voice[`${speaking}`] }),
  heard: ({ text, final, typed }, say) => ({ words: `${text}${final ? '' : ' …'}`, ...(typed && { tail: say.typed }) }),
  key: ({ digit }) => ({ words: digit }),
  event: ({ type, body }) => ({ words: [type, wordsIn(body)].filter(Boolean).join(' · ') }),
  attempt: (entry, say) => attempt(entry, say),
  message: ({ body }) => ({ words: body.slice(0, short) }),
  action: ({ action }) => ({ words: actionWords(action) }),
  speaks: ({ text }, say) => ({ words: text ?? say.sound }),
  spoke: ({ text, playedMs }, say) => ({ words: text ?? say.sound, tail: say.ms(String(playedMs)) }),
  discarded: ({ action, reason }, say) => ({ words: `${action} · ${say.actionsDiscarded[reason]}` }),
  turn: ({ turn, firstSoundMs }, say) => ({
    words: say.turnNumber(turn),
    ...(firstSoundMs !== undefined && { tail: say.ms(String(firstSoundMs)) }),
  }),
  problem: ({ message }) => ({ words: message }),
}

export const summarise = (entry: TimelineEntry, say: TimelineText): Summary => (ways[entry.kind] as Summarise<TimelineKind>)(entry, say)

const callParties = ({ from, to }: TimelineEntryOf<'call'>): string =>
  from === undefined && to === undefined ? '' : `${from ?? ''} → ${to ?? ''}`

const attempt = ({ url, error, state, response, channel, durationMs }: TimelineEntryOf<'attempt'>, say: TimelineText): Summary => {
  const outcome = error ?? (response?.status === undefined ? say.states[state] : `${response.status} ${say.states[state]}`)
  return { words: [say.channels[channel], outcome, url].filter(Boolean).join(' · '), tail: say.ms(String(durationMs)) }
}

const wordsIn = (value: unknown): string => {
  const { text, digit, reason } = (value ?? {}) as { text?: unknown; digit?: unknown; reason?: unknown }
  return [text, digit, reason].find((one) => typeof one === 'string')?.slice(0, short) ?? ''
}

const actionWords = (action: unknown): string => {
  const { type, target, ssml } = (action ?? {}) as { type?: unknown; target?: unknown; ssml?: unknown }
  const rest = wordsIn(action) || [target, ssml].find((one) => typeof one === 'string')?.slice(0, short)
  return [typeof type === 'string' ? type : '?', rest].filter(Boolean).join(' · ')
}
