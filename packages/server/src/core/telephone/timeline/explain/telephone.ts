import type { SessionEndReason } from '@offhook/contract/assistant/session.ts'
import { seconds, type Finder, type Found } from './found.ts'

/** A phone that is not heard, and when it was heard after all. */
export const soundOfPhones: Finder = (story) => {
  const sounds = story.all('sound')
  return sounds.flatMap((sound): Found[] => {
    const { state, of, sequence, at } = sound
    if (state === 'heard') return []
    const again = sounds.find((later) => later.sequence > sequence && later.of === of && later.state === 'heard')
    const values = { phone: of }
    if (!again)
      return [
        { code: 'no_sound_from_phone', severity: 'error', text: `explain.no_sound_from_phone.${state}`, values, evidence: [sequence] },
      ]
    const lasted = { ...values, seconds: seconds(again.at - at) }
    return [{ code: 'no_sound_from_phone', severity: 'warning', values: lasted, evidence: [sequence, again.sequence] }]
  })
}

/** How a call ends that nobody wanted to end. */
const failures: Partial<Record<SessionEndReason, Found['severity']>> = {
  no_answer: 'info',
  busy: 'info',
  rejected: 'info',
  max_duration: 'info',
  silence_timeout: 'info',
  failed: 'error',
  endpoint_unavailable: 'error',
  media_timeout: 'error',
  insufficient_funds: 'error',
  service_shutdown: 'error',
  service_failure: 'error',
}

/** Where office hours or an overflow led the call. */
export const ledByRules: Finder = (story) =>
  story
    .all('routing')
    .map((rule) => ({ code: 'routed', severity: 'info', rule, values: { target: rule.target }, evidence: [rule.sequence] }))

export const failedCall: Finder = ({ end }) => {
  const severity = end?.reason && failures[end.reason]
  return end && severity ? [{ code: 'call_failed', severity, evidence: [end.sequence] }] : []
}
