import type { TimelineEntry, TimelineEntryOf } from '@offhook/contract/v2/timeline.ts'
import type { TimelineText } from './text.ts'

/** An entry in one line: what it is about, and a figure at the end. */
export interface Summary {
  words: string
  tail?: string
}

const short = 200

export const summarise = (entry: TimelineEntry, say: TimelineText): Summary => {
  switch (entry.kind) {
    case 'call':
      return { words: [say.moments[entry.state], entry.explanation ?? callParties(entry)].filter(Boolean).join(' · ') }
    case 'voice':
      return { words: say.voice[`${entry.speaking}`] }
    case 'heard':
      return { words: `${entry.text}${entry.final ? '' : ' …'}`, ...(entry.typed && { tail: say.typed }) }
    case 'key':
      return { words: entry.digit }
    case 'event':
      return { words: [entry.type, wordsIn(entry.body)].filter(Boolean).join(' · ') }
    case 'attempt':
      return attempt(entry, say)
    case 'action':
      return { words: actionWords(entry.action) }
    case 'speaks':
      return { words: entry.text ?? say.sound }
    case 'spoke':
      return { words: entry.text ?? say.sound, tail: say.ms(String(entry.playedMs)) }
    case 'discarded':
      return { words: `${entry.action} · ${say.actionsDiscarded[entry.reason]}` }
    case 'turn':
      return { words: say.turnNumber(entry.turn), ...(entry.firstSoundMs !== undefined && { tail: say.ms(String(entry.firstSoundMs)) }) }
    case 'problem':
      return { words: entry.message }
  }
}

const callParties = ({ from, to }: TimelineEntryOf<'call'>): string => (from === undefined && to === undefined ? '' : `${from ?? ''} → ${to ?? ''}`)

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
