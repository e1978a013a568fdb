import { Problem } from '@offhook/contract/problem.ts'
import type { RecordingPart } from '#core/kernel/ports/files.ts'
import { maxWavDataBytes, wavHeaderBytes, writeWavHeader } from '#media/sound/wav.ts'
import type { OpenFile } from './folder-blobs.ts'

/** A file with its place in the joined one, in sample frames of the joined rate. */
interface Segment {
  file: OpenFile
  channels: number
  rate: number
  /** Sample frames of the file itself. */
  ownFrames: number
  start: number
  frames: number
}

const sampleBytes = 2

/**
 * One WAV file made of several when it is read: each at its time, with silence between them. Nothing is copied, so that a file that comes
 * back later replaces its silence.
 */
export const joinRecordings = async (
  parts: readonly RecordingPart[],
  open: (part: RecordingPart) => Promise<OpenFile | undefined>,
): Promise<OpenFile | undefined> => {
  const [first] = parts
  if (!first) return undefined
  if (parts.length === 1 && !first.truncated) return openPart(first, open)
  const found: { part: RecordingPart; file: OpenFile }[] = []
  try {
    for (const part of parts) {
      const file = await openPart(part, open)
      if (file) found.push({ part, file })
    }
    return found.length === 0 ? undefined : await joined(found, first.createdAt)
  } catch (error) {
    await Promise.all(found.map(({ file }) => file.close()))
    throw error
  }
}

/** A file of unknown length that is no longer awaited was lost with its machine. */
const openPart = async (
  part: RecordingPart,
  open: (part: RecordingPart) => Promise<OpenFile | undefined>,
): Promise<OpenFile | undefined> => {
  const isLost = part.bytes === 0 && !part.awaited
  try {
    const file = await open(part)
    if (file || isLost || !part.awaited) return file
  } catch (error) {
    if (!isLost || !(error instanceof Problem)) throw error
    return undefined
  }
  throw away(part.place)
}

/** Seconds until clients ask again: a machine takes that long to start. */
const awaySeconds = 30

export const away = (place: string | undefined): Problem =>
  new Problem('unavailable', `A part of the file is at the machine ${machineOf(place)}, which is away.`, { retryAfter: awaySeconds })

/** A place is the name of a machine and a folder. */
const machineOf = (place = 'that recorded it'): string => place.replace(/ .*$/, '')

const joined = async (found: readonly { part: RecordingPart; file: OpenFile }[], startAt: number): Promise<OpenFile> => {
  const formats = await Promise.all(found.map(({ file }) => formatOf(file)))
  // The header of a truncated file may lack its length; what is no WAV file is sent as it is.
  if (found.length === 1 && found[0] && formats[0]?.channels === 0) return found[0].file
  const channels = Math.max(...formats.map((format) => format.channels))
  const rate = Math.max(...formats.map((format) => format.rate))
  const segments: Segment[] = []
  let end = 0
  for (const [index, { part, file }] of found.entries()) {
    const format = formats[index]
    if (!format || format.rate === 0) continue
    const start = Math.max(end, Math.round(((part.createdAt - startAt) * rate) / 1000))
    const frames = Math.floor((format.ownFrames * rate) / format.rate)
    segments.push({ file, ...format, start, frames })
    end = start + frames
  }
  const blockBytes = channels * sampleBytes
  const dataBytes = Math.min(end, Math.floor(maxWavDataBytes / blockBytes)) * blockBytes
  const header = new Uint8Array(wavHeaderBytes)
  writeWavHeader(header, channels, rate, dataBytes)
  return {
    bytes: wavHeaderBytes + dataBytes,
    changedAt: Math.max(...found.map(({ file }) => file.changedAt)),
    ...(found.some(({ file }) => file.partial) && { partial: true }),
    async read(position, length) {
      const last = Math.min(position + length, wavHeaderBytes + dataBytes)
      if (last <= position) return new Uint8Array(0)
      const fromHeader = header.subarray(position, last)
      const from = Math.max(0, position - wavHeaderBytes)
      const to = Math.max(from, last - wavHeaderBytes)
      const sound = await render(segments, { channels, rate }, Math.floor(from / blockBytes), Math.ceil(to / blockBytes))
      const skipped = from % blockBytes
      const bytes = new Uint8Array(sound.buffer, sound.byteOffset, sound.byteLength).subarray(skipped, skipped + to - from)
      return fromHeader.length === 0 ? bytes : Buffer.concat([fromHeader, bytes])
    },
    close: async () => void (await Promise.all(found.map(({ file }) => file.close()))),
  }
}

const formatOf = async (file: OpenFile): Promise<Pick<Segment, 'channels' | 'rate' | 'ownFrames'>> => {
  const header = await readFully(file, 0, wavHeaderBytes)
  const none = { channels: 0, rate: 0, ownFrames: 0 }
  if (header.length < wavHeaderBytes) return none
  const view = new DataView(header.buffer, header.byteOffset, wavHeaderBytes)
  const [channels, rate] = [view.getUint16(22, true), view.getUint32(24, true)]
  if (Buffer.from(header).toString('latin1', 8, 16) !== 'WAVEfmt ' || channels === 0 || channels > 2 || rate === 0) return none
  return { channels, rate, ownFrames: Math.floor((file.bytes - wavHeaderBytes) / (channels * sampleBytes)) }
}

interface Format {
  channels: number
  rate: number
}

/** Interleaved samples of these frames, without `to`. */
const render = async (segments: readonly Segment[], format: Format, from: number, to: number): Promise<Int16Array> => {
  const { channels } = format
  const out = new Int16Array((to - from) * channels)
  for (const segment of segments) {
    const [first, last] = [Math.max(from, segment.start), Math.min(to, segment.start + segment.frames)]
    if (first < last) await renderSegment(segment, format, { first, last, out, offset: from })
  }
  return out
}

interface Window {
  first: number
  last: number
  out: Int16Array
  /** Frame at the start of `out`. */
  offset: number
}

/** A node may have recorded at another rate: interpolates. A single channel is on both sides. */
const renderSegment = async (segment: Segment, { channels, rate }: Format, { first, last, out, offset }: Window): Promise<void> => {
  const step = segment.rate / rate
  const ownFirst = Math.floor((first - segment.start) * step)
  const ownLast = Math.min(segment.ownFrames, Math.ceil((last - segment.start) * step) + 1)
  const samples = await readSamples(segment, ownFirst, ownLast - ownFirst)
  const frames = Math.floor(samples.length / segment.channels)
  for (let frame = first; frame < last; frame++) {
    const at = (frame - segment.start) * step - ownFirst
    const [before, share] = [Math.floor(at), at % 1]
    if (before >= frames) return
    for (let channel = 0; channel < channels; channel++) {
      const own = Math.min(channel, segment.channels - 1)
      const one = samples[before * segment.channels + own] ?? 0
      const next = share === 0 ? one : (samples[(before + 1) * segment.channels + own] ?? one)
      out[(frame - offset) * channels + channel] = Math.round(one + (next - one) * share)
    }
  }
}

const readSamples = async ({ file, channels }: Segment, first: number, frames: number): Promise<Int16Array> => {
  const blockBytes = channels * sampleBytes
  const bytes = await readFully(file, wavHeaderBytes + first * blockBytes, frames * blockBytes)
  return new Int16Array(bytes.buffer, 0, Math.floor(bytes.length / sampleBytes))
}

/** Stores may return fewer bytes than requested. */
const readFully = async (file: OpenFile, position: number, length: number): Promise<Uint8Array<ArrayBuffer>> => {
  const bytes = new Uint8Array(length)
  let got = 0
  while (got < length) {
    const piece = await file.read(position + got, length - got)
    if (piece.length === 0) break
    bytes.set(piece, got)
    got += piece.length
  }
  return bytes.subarray(0, got)
}
