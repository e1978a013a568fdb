import type { TimelineEntryOf } from '@offhook/contract/v2/timeline.ts'
import type { Finder, Found } from './found.ts'
import type { Story } from './story.ts'

/** A second of sound: what is shorter says nothing about quality. */
const minPackets = 50
/** From how many percent on, of all packets or of the worst few seconds. Concealment hides less than the first. */
const limits: readonly { severity: Found['severity']; all: number; worst: number }[] = [
  { severity: 'error', all: 10, worst: 30 },
  { severity: 'warning', all: 3, worst: 10 },
  { severity: 'info', all: 1, worst: 5 },
]

const severityOf = (all: number, worst: number): Found['severity'] | undefined =>
  limits.find((limit) => all >= limit.all || worst >= limit.worst)?.severity

const rounded = (percent: number): string => String(Math.round(percent * 10) / 10)

/** What got lost on the way from a phone, and whose words were in the worst of it; and on the way to it, as it reports. */
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

/** The first words of the caller that were spoken, at least in part, at that time. */
const saidDuring = (story: Story, { at, durationMs }: { at: number; durationMs: number }): TimelineEntryOf<'heard'> | undefined => {
  const voices = story.all('voice').filter(({ speaking }) => speaking)
  return story.heard.find((heard) => {
    if (heard.typed) return false
    const until = story.quietSince(heard)
    const since = voices.findLast((voice) => voice.at <= until)?.at ?? until
    return since < at + durationMs && until >= at
  })
}
