import type { PhoneNews, RingNews } from '@offhook/contract/v3/phone.ts'
import type { Quality } from './quality.ts'

/** Why the microphone cannot be used. `insecure`: browsers give microphones only to pages that come over HTTPS or from this machine. */
export type MicrophoneProblem = 'insecure' | 'refused' | 'missing' | 'busy'

/** `dialling`: the service has it, nobody rings yet. `over`: still shown for a moment, to say how it ended. */
export type Phase = 'dialling' | 'ringing' | 'talking' | 'over'

/** The other side as far as it is known. */
export interface Party {
  /** Missing when the caller withholds it. */
  number?: string
  name?: string
  contactId?: string
}

/** One call of this page. */
export interface PhoneCall {
  id: string
  incoming: boolean
  party: Party
  /** The alias of the line that was called. */
  line?: string
  phase: Phase
  since: number
  answeredAt?: number
  endedAt?: number
  /** What the page knows as a call of the service, for its link. */
  coreCallId?: string
  /** By this page. */
  held: boolean
  heldByOther: boolean
  muted: boolean
  recording: boolean
  transfer?: 'trying' | 'failed'
  /** `by` as the service sees it: `peer` is this page, `us` the service and whoever is behind it. */
  end?: { by: 'peer' | 'us' | 'network'; cause: string; elsewhere: boolean }
  /** What the service said about something that was wanted. */
  problem?: string
  microphoneProblem?: MicrophoneProblem
  quality?: Quality
}

type CallEvent = Extract<PhoneNews, { callId: string }> | { type: 'problem'; message: string; callId: string }

const fresh = { held: false, heldByOther: false, muted: false, recording: false } as const

export const dialled = (id: string, party: Party, now: number): PhoneCall => ({
  ...fresh,
  id,
  incoming: false,
  party,
  phase: 'dialling',
  since: now,
})

export const rung = ({ callId, from, to, since }: RingNews): PhoneCall => ({
  ...fresh,
  id: callId,
  incoming: true,
  party: from,
  line: to.line,
  phase: 'ringing',
  since: Date.parse(since),
})

/** The call after what the service told of it. */
export const heard = (call: PhoneCall, news: CallEvent, now: number): PhoneCall => {
  switch (news.type) {
    case 'ringing':
      return call.phase === 'dialling' ? { ...call, phase: 'ringing' } : call
    case 'answered':
      return call.phase === 'over' ? call : { ...call, phase: 'talking', answeredAt: call.answeredAt ?? now }
    case 'call':
      return { ...call, coreCallId: news.coreCallId }
    case 'held':
      return { ...call, heldByOther: news.value }
    case 'recording':
      return { ...call, recording: news.value }
    case 'transfer':
      return news.state === 'failed' ? { ...call, transfer: 'failed' } : { ...call, transfer: 'trying' }
    case 'problem':
      return { ...call, problem: news.message }
    case 'ended': {
      const end = { by: news.by, cause: news.cause, elsewhere: news.elsewhere === true }
      return { ...call, phase: 'over', endedAt: now, end }
    }
    case 'ring':
    case 'media':
    case 'sound':
      break
  }
  return call
}

export const isRunning = ({ phase }: PhoneCall): boolean => phase !== 'over'

/** Somebody calls, and nobody has picked up. */
export const isWaiting = ({ incoming, phase }: PhoneCall): boolean => incoming && phase === 'ringing'

/** A call that the person takes part in, or began. */
export const isOwn = (call: PhoneCall): boolean => isRunning(call) && !isWaiting(call)

/** The one that is spoken in: at most one is not held. */
export const spokenIn = (calls: readonly PhoneCall[]): PhoneCall | undefined => {
  const own = calls.filter(isOwn)
  return own.find(({ held }) => !held) ?? own[0]
}

/** With which call the spoken one can be joined: both talk. */
export const joinable = (calls: readonly PhoneCall[]): readonly [PhoneCall, PhoneCall] | undefined => {
  const spoken = spokenIn(calls)
  const other = calls.find((call) => call.phase === 'talking' && call.id !== spoken?.id)
  return spoken?.phase === 'talking' && other ? [spoken, other] : undefined
}

/** What this page makes heard by itself. A second call only knocks. */
export type Signal = 'ringtone' | 'knocking' | 'ringback'

export const signalOf = (calls: readonly PhoneCall[], hasEarlySound: boolean): Signal | undefined => {
  const busy = calls.some((call) => call.phase === 'talking')
  if (calls.some(isWaiting)) return busy ? 'knocking' : 'ringtone'
  const calling = calls.some(({ incoming, phase }) => !incoming && phase === 'ringing')
  return calling && !hasEarlySound ? 'ringback' : undefined
}

/** Also of a call that was answered: otherwise it would not be clear why it ended. */
const moneyCauses = ['payment_required', 'daily_limit_reached', 'call_limit_reached', 'leash_spent'] as const
const saidCauses = ['busy', 'rejected', 'no_answer', 'unreachable', 'not_found', 'do_not_disturb', 'forbidden', ...moneyCauses] as const

export type EndWord = (typeof saidCauses)[number] | 'missed' | 'network' | 'failed' | 'over'

/** How a call ended, as far as the person wants to know. */
export const endWordOf = ({ incoming, answeredAt, end }: PhoneCall): EndWord => {
  if (end?.by === 'network') return 'network'
  const money = end?.by === 'peer' ? undefined : moneyCauses.find((cause) => cause === end?.cause)
  if (money !== undefined) return money
  if (answeredAt !== undefined || end === undefined || end.by === 'peer') return 'over'
  if (incoming) return 'missed'
  const cause = end.cause === 'unavailable' ? 'unreachable' : end.cause
  return saidCauses.find((said) => said === cause) ?? (cause === 'normal' ? 'over' : 'failed')
}

/** How a number is dialled: as people write it, without what is only for the eye. */
export const dialable = (typed: string): string => decodeTel(typed.trim()).replaceAll(/[\s()/.\u00a0-]/g, '')

/** `tel:+49-30-123;ext=4` as links have it. */
const decodeTel = (typed: string): string => (typed.toLowerCase().startsWith('tel:') ? (typed.slice(4).split(';')[0] ?? '') : typed)
