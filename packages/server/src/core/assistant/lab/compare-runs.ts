import {
  type LabLabel,
  type LabReport,
  type LabSettings,
  type LabVariant,
  longestLabSeconds,
  type LabWish,
} from '@offhook/contract/v2/lab.ts'
import type { LabRun, BothSides, Lab, RecordedSpeech } from '#core/kernel/ports/speech.ts'

type Findings = Omit<NonNullable<LabReport['live']>, 'settings'>
type Turn = LabRun['turns'][number]
interface Span {
  startMs: number
  endMs: number
}

/** Tolerance for the same position: one detector window (32 ms) plus the delay of a timeline entry. */
const sameLocationMs = 60

const overlaps = (a: Span, b: Span): boolean => a.startMs < b.endMs + sameLocationMs && b.startMs < a.endMs + sameLocationMs
const answered = ({ outcome }: Turn): boolean => outcome === 'told'

/** Expected turns: the labelled ones, or those of the call. */
const referenceOf = (labels: readonly LabLabel[] | undefined, live: LabRun | undefined): readonly Span[] | undefined =>
  labels ? labels.filter(({ backchannel }) => backchannel !== true) : live?.turns.filter(answered)

/** Extra turns where the reference has one, and missing turns where it has several. */
const splitsAndMerges = (run: LabRun, reference: readonly Span[]): { splits: number; merged: number } => {
  const notified = run.turns.filter(answered)
  const excess = (of: readonly Span[], by: readonly Span[]): number =>
    of.reduce((sum, one) => sum + Math.max(0, by.filter((other) => overlaps(one, other)).length - 1), 0)
  return { splits: excess(reference, notified), merged: excess(notified, reference) }
}

export const findingsOf = (run: LabRun, labels: readonly LabLabel[] | undefined): Findings => {
  const notified = run.turns.filter(answered)
  const interruptions = labels ? run.interruptions.map((one) => judged(one, run, labels)) : run.interruptions
  const waits = notified.map(({ endMs, decidedMs }) => decidedMs - endMs)
  return {
    turns: run.turns.map(({ silenceMs: _silence, cut: _cut, missed: _missed, ...turn }) => turn),
    interruptions,
    told: notified.length,
    falseInterruptions: interruptions.filter((one) => one.false).length,
    missed: run.turns.filter(({ missed }) => missed).length,
    ...(waits.length > 0 && { meanWaitMs: meanOf(waits) }),
    ...(labels && { precision: precisionOf(notified, labels), recall: recallOf(notified, labels) }),
  }
}

/** Labels decide whether an interruption was justified. */
const judged = (
  interruption: LabRun['interruptions'][number],
  run: LabRun,
  labels: readonly LabLabel[],
): LabRun['interruptions'][number] => {
  const { false: _false, ...rest } = interruption
  const turn = run.turns.find(({ startMs, decidedMs }) => startMs <= rest.atMs && rest.atMs <= decidedMs)
  const worth = turn !== undefined && labels.some((label) => label.backchannel !== true && overlaps(label, turn))
  return { ...rest, ...(!worth && { false: true as const }) }
}

/** Tolerance between the end of a turn and a hand-made label, in milliseconds. */
const labelTimeoutMs = 250

const isRight = (turn: Turn, labels: readonly LabLabel[]): boolean =>
  labels.some((label) => label.backchannel !== true && Math.abs(label.endMs - turn.endMs) <= labelTimeoutMs)

const precisionOf = (notified: readonly Turn[], labels: readonly LabLabel[]): number =>
  notified.length === 0 ? 1 : rounded(notified.filter((turn) => isRight(turn, labels)).length / notified.length)

const recallOf = (notified: readonly Turn[], labels: readonly LabLabel[]): number => {
  const wanted = labels.filter(({ backchannel }) => backchannel !== true)
  const found = wanted.filter((label) => {
    const [only, ...others] = notified.filter((turn) => overlaps(label, turn))
    return only !== undefined && others.length === 0 && wanted.filter((other) => overlaps(other, only)).length === 1
  })
  return wanted.length === 0 ? 1 : rounded(found.length / wanted.length)
}

const meanOf = (values: readonly number[]): number => Math.round(values.reduce((sum, value) => sum + value, 0) / values.length)
const rounded = (share: number): number => Math.round(share * 1000) / 1000

export const variantOf = (
  { name, settings, run }: { name: string; settings: LabSettings; run: LabRun },
  { labels, live }: { labels: readonly LabLabel[] | undefined; live: LabRun | undefined },
): LabVariant => {
  const findings = findingsOf(run, labels)
  const reference = referenceOf(labels, live)
  const before = live && findingsOf(live, undefined).meanWaitMs
  const { meanWaitMs } = findings
  return {
    name,
    settings,
    ...findings,
    ...(reference ? splitsAndMerges(run, reference) : { splits: 0, merged: 0 }),
    ...(before !== undefined && meanWaitMs !== undefined && { wonMs: before - meanWaitMs }),
  }
}

/** Turns of the call that occur again at the same position after the same silence. */
export const agreementOf = (live: LabRun, again: LabRun): { turns: number; same: number } => {
  const turns = live.turns.filter(answered)
  const isSame = (turn: Turn): boolean =>
    again.turns.some(
      (other) =>
        answered(other) &&
        Math.abs(other.endMs - turn.endMs) <= sameLocationMs &&
        Math.abs(other.silenceMs - turn.silenceMs) <= sameLocationMs,
    )
  return { turns: turns.length, same: turns.filter(isSame).length }
}

/** Assumed recogniser delay, because the real one is unknown. */
const recogniserMs = 150
const frameMs = 20
/** -46 dB: the assistant's side is synthetic and has no noise. */
const loud = 165 ** 2
/** Maximum pause inside one speech of the assistant, in milliseconds. */
const pauseMs = 700

/** Report for a recording without a timeline: the caller on the first channel, the assistant on the second. */
export const reportOfSound = async (lab: Lab, sound: BothSides, { variants, labels }: LabWish, language: string): Promise<LabReport> => {
  const length = Math.min(sound.heard.length, longestLabSeconds * sound.rate)
  const sides = { rate: sound.rate, heard: sound.heard.slice(0, length), sent: sound.sent.slice(0, length) }
  const work = { sound: sides, speeches: speechesIn(sides), wishes: [], voice: [], languages: [language], vocabulary: [], recogniserMs }
  const findings = await lab.run('', { ...work, variants: variants.map(({ settings }) => settings) })
  return {
    seconds: Math.round(length / sides.rate),
    ...(length < sound.heard.length && { truncated: true }),
    variants: (findings?.runs ?? []).map((run, nth) => {
      const { name = `${nth + 1}`, settings = {} } = variants[nth] ?? {}
      return variantOf({ name, settings, run }, { labels, live: undefined })
    }),
  }
}

/** Finds the assistant's speeches; their text is unknown. */
const speechesIn = ({ rate, sent }: BothSides): RecordedSpeech[] => {
  const speeches: RecordedSpeech[] = []
  const frame = Math.round((rate * frameMs) / 1000)
  for (let at = 0; at + frame <= sent.length; at += frame) {
    if (!isLoud(sent.subarray(at, at + frame))) continue
    const startMs = (at * 1000) / rate
    const last = speeches.at(-1)
    if (last && startMs - last.startMs - last.fullMs < pauseMs) last.fullMs = startMs + frameMs - last.startMs
    else speeches.push({ startMs, fullMs: frameMs, text: '', protect: false, wantsAnswer: false })
  }
  return speeches
}

const isLoud = (samples: Int16Array): boolean => samples.reduce((sum, sample) => sum + sample ** 2, 0) / samples.length > loud
