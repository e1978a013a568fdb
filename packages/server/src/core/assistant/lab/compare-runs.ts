import type { LabLabel, LabReport, LabSettings, LabVariant } from '@offhook/contract/v2/lab.ts'
import type { LabRun } from '#core/kernel/ports/lab/lab.ts'

type Findings = Omit<NonNullable<LabReport['live']>, 'settings'>
type Turn = LabRun['turns'][number]
interface Span {
  startMs: number
  endMs: number
}

/** The same place: a window of the detector (32 ms), and what a note in the timeline may be late. */
export const sameLocationMs = 60

const overlaps = (a: Span, b: Span): boolean => a.startMs < b.endMs + sameLocationMs && b.startMs < a.endMs + sameLocationMs
const answered = ({ outcome }: Turn): boolean => outcome === 'told'

/** What is to be found: as somebody has labelled it, or as the call had it. */
export const referenceOf = (labels: readonly LabLabel[] | undefined, live: LabRun | undefined): readonly Span[] | undefined =>
  labels ? labels.filter(({ backchannel }) => backchannel !== true) : live?.turns.filter(answered)

/** Turns too many where the reference has one, and too few where it has several. */
export const splitsAndMerges = (run: LabRun, reference: readonly Span[]): { splits: number; merged: number } => {
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

/** Who labelled it knows better what was worth an interruption. */
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

/** A turn is right where it ends where a labelled one does, give or take what a hand misses. */
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

/** Turns of the call that are found again: at the same place, after as long a silence. */
export const agreementOf = (live: LabRun, again: LabRun): { turns: number; same: number } => {
  const turns = live.turns.filter(answered)
  const isSame = (turn: Turn): boolean =>
    again.turns.some(
      (other) =>
        answered(other) && Math.abs(other.endMs - turn.endMs) <= sameLocationMs && Math.abs(other.silenceMs - turn.silenceMs) <= sameLocationMs,
    )
  return { turns: turns.length, same: turns.filter(isSame).length }
}
