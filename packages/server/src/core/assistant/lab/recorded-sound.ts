import { longestLabSeconds } from '@offhook/contract/v2/lab.ts'
import type { BothSides, RecordedSpeech, VoiceAt } from '#core/kernel/ports/lab/lab.ts'
import type { OpenRecording } from '#core/kernel/ports/recording-files.ts'

const headerBytes = 44
const bytesPerPair = 4

/** A recording with two channels, as we write it. */
export interface TwoChannels {
  rate: number
  left: Int16Array<ArrayBuffer>
  right: Int16Array<ArrayBuffer>
  truncated: boolean
}

/** Undefined: it has one channel only, or nothing in it. */
export const readTwoChannels = async (file: OpenRecording): Promise<TwoChannels | undefined> => {
  const header = await file.read(0, headerBytes)
  if (header.length < headerBytes) return undefined
  const view = new DataView(header.buffer, header.byteOffset, headerBytes)
  const [channels, rate] = [view.getUint16(22, true), view.getUint32(24, true)]
  const pairs = Math.floor((file.bytes - headerBytes) / bytesPerPair)
  if (channels !== 2 || pairs <= 0) return undefined
  const wanted = Math.min(pairs, longestLabSeconds * rate)
  const bytes = await file.read(headerBytes, wanted * bytesPerPair)
  return { rate, ...apart(bytes), truncated: wanted < pairs }
}

const apart = (bytes: Uint8Array): Pick<TwoChannels, 'left' | 'right'> => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const pairs = Math.floor(bytes.length / bytesPerPair)
  const [left, right] = [new Int16Array(pairs), new Int16Array(pairs)]
  for (let nth = 0; nth < pairs; nth++) {
    left[nth] = view.getInt16(nth * bytesPerPair, true)
    right[nth] = view.getInt16(nth * bytesPerPair + 2, true)
  }
  return { left, right }
}

/** Phones of the account are on the left, so the caller is on either side: the other one is that on which the assistant speaks when it speaks. */
export const sidesOf = (
  sound: TwoChannels,
  { speeches, voice }: { speeches: readonly RecordedSpeech[]; voice: readonly VoiceAt[] },
): BothSides => {
  const { rate, left, right } = sound
  const speaks = speeches.map(({ startMs, fullMs }) => [startMs, startMs + fullMs] as const)
  const calls = voice.flatMap(({ speaks: begins, atMs }, nth) => (begins ? [[atMs, voice[nth + 1]?.atMs ?? atMs] as const] : []))
  const energy = (channel: Int16Array, spans: readonly (readonly [number, number])[]): number =>
    Math.log(1 + energyIn(channel, rate, spans))
  const assistantIsRight = energy(right, speaks) + energy(left, calls) >= energy(left, speaks) + energy(right, calls)
  return assistantIsRight ? { rate, heard: left, sent: right } : { rate, heard: right, sent: left }
}

/** Every eighth sample is enough to tell who speaks. */
const step = 8

const energyIn = (channel: Int16Array, rate: number, spans: readonly (readonly [number, number])[]): number => {
  let sum = 0
  for (const [fromMs, toMs] of spans) {
    const to = Math.min(channel.length, (toMs * rate) / 1000)
    for (let at = Math.max(0, Math.round((fromMs * rate) / 1000)); at < to; at += step) sum += channel[at]! ** 2
  }
  return sum
}
