import type { LabRun, VoiceAt } from '#core/kernel/ports/lab/lab.ts'
import { samplesPerMs } from '#core/kernel/sound/sound-track.ts'
import type { HeardAgain } from './listen-again.ts'

/** So far apart the same moment of the call and of the recording may be told. */
const maxShiftMs = 3000
const stepMs = 4
/** What is further apart is not the same. */
const nearMs = 40

const frameMs = 20
/** After so many frames of 20 ms the windows of the detector, 32 ms each, begin where they did before. */
const framesOfWindows = 8

/**
 * By how much the times of the call and those of the recording differ: where most of what the detector said then it says now. A call is recorded from a
 * little before or after the assistant begins to listen, and what is noted with the time of a busy machine is less exact than sound.
 */
export const shiftOf = (call: readonly Pick<VoiceAt, 'speaks' | 'atMs'>[], { changes }: Pick<HeardAgain, 'changes'>): number => {
  const again = changes
    .filter(({ kind }) => kind !== 'noticed')
    .map(({ kind, at }) => ({ speaks: kind === 'started', atMs: at / samplesPerMs }))
  const apart = (shift: number): number[] =>
    call.map(({ speaks, atMs }) => {
      const gaps = again.filter((one) => one.speaks === speaks).map((one) => one.atMs - atMs - shift)
      return gaps.reduce((min, gap) => (Math.abs(gap) < Math.abs(min) ? gap : min), nearMs)
    })
  let best = { shift: 0, off: Infinity }
  for (let shift = -maxShiftMs; shift <= maxShiftMs; shift += stepMs) {
    const off = apart(shift).reduce((sum, gap) => sum + Math.abs(gap), 0)
    if (off < best.off || (off === best.off && Math.abs(shift) < Math.abs(best.shift))) best = { shift, off }
  }
  const near = apart(best.shift)
    .filter((gap) => Math.abs(gap) < nearMs)
    .toSorted((a, b) => a - b)
  return near.length === 0 ? 0 : best.shift + (near[Math.floor(near.length / 2)] ?? 0)
}

/**
 * How many frames of the recording have to be left out, so that the windows of the detector are those of the call. Words depend on it: half a window
 * more or less at the end of what a recogniser is given may turn a full stop into a comma.
 */
export const framesToSkip = (call: readonly VoiceAt[], heard: Pick<HeardAgain, 'changes'>): number => {
  const counted = call.flatMap(({ speaks, sample }) => (sample === undefined ? [] : [{ speaks, atMs: sample / samplesPerMs }]))
  if (counted.length === 0) return 0
  const frames = Math.round(shiftOf(counted, heard) / frameMs)
  return frames >= 0 ? frames : ((frames % framesOfWindows) + framesOfWindows) % framesOfWindows
}

/** The same, so much later. */
export const placedAt = ({ turns, interruptions }: LabRun, shiftMs: number): LabRun => {
  const at = (ms: number): number => Math.max(0, ms + shiftMs)
  return {
    turns: turns.map((turn) => ({ ...turn, startMs: at(turn.startMs), endMs: at(turn.endMs), decidedMs: at(turn.decidedMs) })),
    interruptions: interruptions.map((one) => ({ ...one, atMs: at(one.atMs) })),
  }
}
