import type { ExpectedAnswer } from '#core/kernel/ports/speech.ts'
import { SoundTrack } from '#core/kernel/sound/sound-track.ts'
import { joined, secondsOf, silence, type Recording } from '../sets/recording.ts'
import { overTheLine } from '../sets/noises.ts'
import type { TurnRow } from '../sets/turn-set.ts'
import type { InterruptionOutcome } from '../scoring/interruptions.ts'
import type { TurnOutcome } from '../scoring/turns.ts'
import type { Pair } from '../scoring/words.ts'
import type { Listener } from './listener.ts'
import type { Rehearsed, Setting } from './rehearsal.ts'
import { rehearse, rehearseInterruption } from './rehearse.ts'

/** Transcript of the recogniser alone for a recording sent over a telephone line. */
export const transcribe = async (
  { stt }: Listener,
  { language, text, samples }: Recording,
  expected?: ExpectedAnswer,
  aroundMs = 200,
): Promise<Pair & { confidence: number; snrDb: number | undefined }> => {
  const line = overTheLine(joined([silence(aroundMs), samples, silence(aroundMs)]))
  const track = SoundTrack.of(line.length / 8_000 + 1)
  track.write(line)
  track.end()
  const stream = stt.open(track, { languages: [language], vocabulary: [] }, { failed: () => {} })
  const heard = await stream.transcribe(0, track.length, new AbortController().signal, expected)
  stream.close()
  return { said: text, heard: heard.text, language, confidence: heard.confidence ?? 1, snrDb: heard.snrDb }
}

/** Turns found in a recording. */
export const turnsIn = ({ told: notified }: Pick<Rehearsed, 'told'>) => notified.filter((one) => one.told === 'said')

export const turnOutcome = async (listener: Listener, setting: Setting, row: TurnRow): Promise<TurnOutcome> => {
  const rehearsed = await rehearse(listener, setting, row)
  const turns = turnsIn(rehearsed)
  const [first, last] = [turns[0], turns.at(-1)]
  return {
    kind: row.kind,
    silenceMs: first?.timing.endpointMs,
    delayMs: last && Math.max(last.timing.endpointMs, last.timing.sttFinalMs),
    turns: turns.length,
  }
}

export const interruptionOutcome = async (listener: Listener, setting: Setting, recording: Recording): Promise<InterruptionOutcome> => {
  const rehearsed = await rehearseInterruption(listener, setting, recording)
  const cut = rehearsed.told.find((one) => one.told === 'spoke' && !one.completed)
  const { from } = rehearsed.voice
  return {
    hasWords: recording.text !== '',
    stoppedAfterMs: cut && cut.at - from,
    duckedAfterMs: rehearsed.duckedAt === undefined ? undefined : rehearsed.duckedAt - from,
    told: turnsIn(rehearsed).length > 0,
  }
}

/** CPU seconds of this process, all threads, per second of the recordings that `work` processes. */
export const costOf = async <T>(recordings: readonly Recording[], work: () => Promise<T>): Promise<{ result: T; cpuPerSecond: number }> => {
  const before = process.cpuUsage()
  const result = await work()
  const { user, system } = process.cpuUsage(before)
  const seconds = recordings.reduce((sum, recording) => sum + secondsOf(recording), 0)
  return { result, cpuPerSecond: (user + system) / 1e6 / Math.max(1, seconds) }
}

/** One after the other: concurrent requests would distort each other's times. */
export const sequentially = async <T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> => {
  const results: R[] = []
  for (const item of items) results.push(await work(item))
  return results
}
