import type { PhoneNews, RingNews } from '@offhook/contract/v3/phone.ts'
import type { Quality } from './quality.ts'

/** Why the microphone is unavailable. `insecure`: browsers allow microphones only for pages from HTTPS or this machine. */
export type MicrophoneProblem = 'insecure' | 'refused' | 'missing' | 'busy'

/** `dialling`: the service has the call, nobody rings yet. `over`: still shown for a moment, with the reason of the end. */
type Phase = 'dialling' | 'ringing' | 'talking' | 'over'

/** The other party as far as known. */
export interface Party {
  /** Undefined if the caller withholds it. */
  number?: string
  name?: string
  contactId?: string
}

/** One call of this page. */
export interface PhoneCall {
  id: string
  incoming: boolean
  party: Party
  /** Alias of the called line. */
  line?: string
  phase: Phase
  since: number
  answeredAt?: number
  endedAt?: number
  /** Id of the call at the service, for its link. */
  coreCallId?: string
  /** Held by this page. */
  held: boolean
  heldByOther: boolean
  muted: boolean
  recording: boolean
  transfer?: 'trying' | 'failed'
  /** `by` from the service's view: `peer` is this page, `us` the service and the other party. */
  end?: { by: 'peer' | 'us' | 'network'; cause: string; elsewhere: boolean }
  /** The service's message about a rejected command. */
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

/** Applies an event of the service to a call. */
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

/** Incoming and not answered. */
export const isWaiting = ({ incoming, phase }: PhoneCall): boolean => incoming && phase === 'ringing'

/** A call that the person takes part in or started. */
export const isOwn = (call: PhoneCall): boolean => isRunning(call) && !isWaiting(call)

/** The active call: at most one is not held. */
export const spokenIn = (calls: readonly PhoneCall[]): PhoneCall | undefined => {
  const own = calls.filter(isOwn)
  return own.find(({ held }) => !held) ?? own[0]
}

/** The two talking calls that can be joined. */
export const joinable = (calls: readonly PhoneCall[]): readonly [PhoneCall, PhoneCall] | undefined => {
  const spoken = spokenIn(calls)
  const other = calls.find((call) => call.phase === 'talking' && call.id !== spoken?.id)
  return spoken?.phase === 'talking' && other ? [spoken, other] : undefined
}

/** Signal played by this page. A second call only knocks. */
export type Signal = 'ringtone' | 'knocking' | 'ringback'

export const signalOf = (calls: readonly PhoneCall[], hasEarlySound: boolean): Signal | undefined => {
  const busy = calls.some((call) => call.phase === 'talking')
  if (calls.some(isWaiting)) return busy ? 'knocking' : 'ringtone'
  const calling = calls.some(({ incoming, phase }) => !incoming && phase === 'ringing')
  return calling && !hasEarlySound ? 'ringback' : undefined
}

/** Also shown for an answered call: otherwise the reason of its end would be unclear. */
const moneyCauses = ['payment_required', 'daily_limit_reached', 'call_limit_reached', 'leash_spent'] as const
const saidCauses = ['busy', 'rejected', 'no_answer', 'unreachable', 'not_found', 'do_not_disturb', 'forbidden', ...moneyCauses] as const

type EndWord = (typeof saidCauses)[number] | 'missed' | 'network' | 'failed' | 'over'

/** Why a call ended, in terms for the person. */
export const endWordOf = ({ incoming, answeredAt, end }: PhoneCall): EndWord => {
  if (end?.by === 'network') return 'network'
  const money = end?.by === 'peer' ? undefined : moneyCauses.find((cause) => cause === end?.cause)
  if (money !== undefined) return money
  if (answeredAt !== undefined || end === undefined || end.by === 'peer') return 'over'
  if (incoming) return 'missed'
  const cause = end.cause === 'unavailable' ? 'unreachable' : end.cause
  return saidCauses.find((said) => said === cause) ?? (cause === 'normal' ? 'over' : 'failed')
}

/** Normalizes a typed number: removes visual separators. */
export const dialable = (typed: string): string => decodeTel(typed.trim()).replaceAll(/[\s()/.\u00a0-]/g, '')

/** `tel:+49-30-123;ext=4` as in links. */
const decodeTel = (typed: string): string => (typed.toLowerCase().startsWith('tel:') ? (typed.slice(4).split(';')[0] ?? '') : typed)
