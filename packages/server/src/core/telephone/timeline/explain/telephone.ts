import type { SessionEndReason } from '@offhook/contract/assistant/session.ts'
import { seconds, type Finder, type Found, type Story } from './story.ts'
import type { TimelineEntryOf } from '@offhook/contract/v2/timeline.ts'

/** Phones without audio, and when their audio returned. */
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

/** Severity of ends that no party intended. */
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

/** Routing by office hours or overflow. */
export const ledByRules: Finder = (story) =>
  story
    .all('routing')
    .map((rule) => ({ code: 'routed', severity: 'info', rule, values: { target: rule.target }, evidence: [rule.sequence] }))

export const failedCall: Finder = ({ end }) => {
  const severity = end?.reason && failures[end.reason]
  return end && severity ? [{ code: 'call_failed', severity, evidence: [end.sequence] }] : []
}

/** One second of audio: shorter streams say nothing about quality. */
const minPackets = 50
/** Thresholds in percent, of all packets or of the worst few seconds. Concealment hides loss below the lowest. */
const limits: readonly { severity: Found['severity']; all: number; worst: number }[] = [
  { severity: 'error', all: 10, worst: 30 },
  { severity: 'warning', all: 3, worst: 10 },
  { severity: 'info', all: 1, worst: 5 },
]

const severityOf = (all: number, worst: number): Found['severity'] | undefined =>
  limits.find((limit) => all >= limit.all || worst >= limit.worst)?.severity

const rounded = (percent: number): string => String(Math.round(percent * 10) / 10)

/** Packet loss from a phone, with the caller's words in the worst stretch; and loss towards it, as the phone reports. */
export const packetLoss: Finder = (story) => story.all('quality').flatMap((quality) => [...fromPhone(story, quality), ...toPhone(quality)])

const fromPhone = (story: Story, quality: TimelineEntryOf<'quality'>): Found[] => {
  const { of, packetsReceived, packetsLost, worst, sequence } = quality
  const expected = packetsReceived + packetsLost
  const percent = (packetsLost * 100) / expected
  const severity = expected < minPackets ? undefined : severityOf(percent, worst?.lossPercent ?? 0)
  if (!severity) return []
  const found: Found = { code: 'packet_loss', severity, values: { phone: of, percent: rounded(percent) }, evidence: [sequence] }
  if (!worst) return [found]
  const values = { ...found.values, worst: rounded(worst.lossPercent), seconds: Math.round(worst.durationMs / 1000) }
  const words = of === 'caller' ? saidDuring(story, worst) : undefined
  if (!words) return [{ ...found, text: 'explain.packet_loss.worst', values }]
  const { turn } = words
  return [{ ...found, turn, text: 'explain.packet_loss.words', values: { ...values, turn }, evidence: [sequence, words.sequence] }]
}

const toPhone = ({ of, reported, sequence }: TimelineEntryOf<'quality'>): Found[] => {
  const severity = reported && severityOf(reported.lossPercent, 0)
  if (!severity) return []
  const values = { phone: of, percent: rounded(reported.lossPercent) }
  return [{ code: 'packet_loss', severity, text: 'explain.packet_loss.reported', values, evidence: [sequence] }]
}

/** First words the caller spoke, at least in part, during that time. */
const saidDuring = (story: Story, { at, durationMs }: { at: number; durationMs: number }): TimelineEntryOf<'heard'> | undefined => {
  const voices = story.all('voice').filter(({ speaking }) => speaking)
  return story.heard.find((heard) => {
    if (heard.typed) return false
    const until = story.quietSince(heard)
    const since = voices.findLast((voice) => voice.at <= until)?.at ?? until
    return since < at + durationMs && until >= at
  })
}
