import { Problem } from '@offhook/contract/problem.ts'
import { scheduleText, notifyNow, transcriptionJob, type WantedText } from '#core/account/notifications/schedule-transcription.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { OpenRecording, RecordingFiles } from '#core/kernel/ports/files.ts'
import type { Speech, Stt, Transcript } from '#core/kernel/ports/speech.ts'
import type { HistoryEntry, MessageText } from '#core/kernel/ports/store/call.ts'
import type { Store, Tables } from '#core/kernel/ports/store/index.ts'
import { SoundTrack } from '#core/kernel/sound/sound-track.ts'
import { isSilent, piecesOf } from '#core/kernel/sound/speech-pieces.ts'
import { DeferredError, type Task } from '#core/kernel/work/worker.ts'
import { recordingIdOf } from './erase-recordings.ts'

interface TranscriptionDeps {
  store: Store
  clock: Clock
  files: Pick<RecordingFiles, 'open'>
  speech: Pick<Speech, 'stt'>
  /** Aborts when the service stops; unfinished jobs start again at the next start. */
  signal: AbortSignal
  /** Called when a mail may be sent. */
  wake: () => void
}

/** Undefined: transcription is not available. */
export const writerOf = (speech: Pick<Speech, 'stt'>): Stt | undefined => speech.stt('embedded')

const tries = 3
const waitMs = 1_000
const awaitedRetryMs = 60_000
const day = 24 * 3_600_000

/** Transcribes one message at a time per node: live calls have priority. */
export const transcriptionJobs = (deps: TranscriptionDeps): Record<string, Task> => {
  let busy = false
  return {
    [transcriptionJob]: async (payload, { attempts }) => {
      if (busy) throw new DeferredError('another message is being written down', waitMs)
      busy = true
      try {
        await transcribe(deps, payload as WantedText, attempts >= tries)
      } finally {
        busy = false
      }
    },
  }
}

/** Transcribes again on request. */
export const transcribeAgain = async (tables: Tables, accountId: string, entry: HistoryEntry, at: number): Promise<void> => {
  const { transcripts: days } = await tables.retentions.find(accountId)
  if (days !== undefined && entry.createdAt < at - days * day)
    throw new Problem('conflict', `The account erases texts after ${days} days, and this message is older.`)
  await note(tables, accountId, entry.id, { state: 'PENDING' }, at)
  await scheduleText(tables, { accountId, entryId: entry.id, again: true }, at)
}

const transcribe = async (deps: TranscriptionDeps, { accountId, entryId, again }: WantedText, isLast: boolean): Promise<void> => {
  const { store, clock, wake } = deps
  const entry = await store.read.history.find(accountId, entryId)
  if (!entry) return
  const result = await textOf(deps, accountId, entry).catch((error: unknown): Result => {
    if (!isLast || deps.signal.aborted) throw error
    return { about: { state: 'FAILED' } }
  })
  await store.write(async (tables) => {
    const at = clock.now()
    await note(tables, accountId, entryId, { ...result.about, at }, at, result.text)
    if (!again) await notifyNow(tables, accountId, entry, at)
  })
  wake()
}

interface Result {
  text?: string
  about: MessageText
}

const readAndClose = async (file: OpenRecording): ReturnType<typeof readMessage> => {
  try {
    return await readMessage(file)
  } finally {
    await file.close()
  }
}

const textOf = async ({ store, files, speech, signal }: TranscriptionDeps, accountId: string, entry: HistoryEntry): Promise<Result> => {
  const writer = writerOf(speech)
  const [recording] = entry.detail.recordings ?? []
  const account = await store.read.accounts.find(accountId)
  if (!writer || !recording || !account) return { about: { state: 'UNAVAILABLE' } }
  const id = recordingIdOf(recording.id)
  const { place, awaited = false } = (await store.read.recordings.find(accountId, id)) ?? {}
  const file = await files.open({ accountId, id, place }).catch((error: unknown) => {
    if (!awaited) throw error
    return undefined
  })
  if (!file && awaited) throw new DeferredError('the recording of a message is at a machine that is away', awaitedRetryMs)
  if (!file) throw new Error('the recording of a message is not there yet, or not any more')
  const sound = await readAndClose(file)
  if (!sound || isSilent(sound)) return { about: { state: 'SILENT' } }
  const language = account.locale.replace('_', '-')
  const heard: (Transcript & { samples: number })[] = []
  for (const { from, to } of piecesOf(sound))
    heard.push({ ...(await hear(writer, sound.subarray(from, to), language, signal)), samples: to - from })
  return resultOf(heard, language, writer.name)
}

const hear = async (writer: Stt, sound: Int16Array, language: string, signal: AbortSignal): Promise<Transcript> => {
  const track = SoundTrack.of(sound.length / 8_000 + 1)
  track.write(sound)
  track.end()
  const stream = writer.open(track, { languages: [language], vocabulary: [], patient: true }, { failed: () => {} })
  try {
    return await stream.transcribe(0, sound.length, signal)
  } finally {
    stream.close()
  }
}

const resultOf = (heard: readonly (Transcript & { samples: number })[], language: string, name: string): Result => {
  const said = heard.filter(({ text }) => text !== '')
  if (said.length === 0) return { text: '', about: { state: 'DONE', language } }
  const samples = said.reduce((sum, one) => sum + one.samples, 0)
  const sure = said.every(({ confidence }) => confidence !== undefined)
    ? said.reduce((sum, one) => sum + (one.confidence ?? 0) * one.samples, 0) / samples
    : undefined
  return {
    text: said.map(({ text }) => text).join(' '),
    about: {
      state: 'DONE',
      language: said[0]?.language ?? language,
      engine: said[0]?.model ?? name,
      ...(sure !== undefined && { confidence: Math.round(sure * 100) / 100 }),
    },
  }
}

/** The entry may have changed or been removed since. */
const note = async (tables: Tables, accountId: string, entryId: string, about: MessageText, at: number, text?: string): Promise<void> => {
  const entry = await tables.history.find(accountId, entryId)
  if (!entry) return
  const { transcription: before, ...detail } = entry.detail
  const transcription = text ?? before
  await tables.history.update(
    accountId,
    entryId,
    { detail: { ...detail, ...(transcription !== undefined && { transcription }), messageText: about } },
    at,
  )
}

const headerBytes = 44
/** No voicemail is longer; of longer files the beginning is enough. */
const maxSeconds = 15 * 60

/** Samples of a message at 8 kHz; undefined when the file is empty or has another format. */
const readMessage = async (file: OpenRecording): Promise<Int16Array<ArrayBuffer> | undefined> => {
  const header = await file.read(0, headerBytes)
  if (header.length < headerBytes) return undefined
  const view = new DataView(header.buffer, header.byteOffset, headerBytes)
  const [channels, rate] = [view.getUint16(22, true), view.getUint32(24, true)]
  if (channels < 1 || rate % 8_000 !== 0) return undefined
  const bytes = await read(file, Math.min(file.bytes - headerBytes, maxSeconds * rate * channels * 2))
  // Decimates the first channel without a filter: telephone audio has no content above 4 kHz that could alias.
  const step = channels * (rate / 8_000) * 2
  const sound = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  return Int16Array.from({ length: Math.floor(bytes.length / step) }, (_, at) => sound.getInt16(at * step, true))
}

/** Stores may return fewer bytes than requested. */
const read = async (file: OpenRecording, wanted: number): Promise<Uint8Array> => {
  const pieces: Uint8Array[] = []
  for (let got = 0; got < wanted;) {
    const piece = await file.read(headerBytes + got, wanted - got)
    if (piece.length === 0) break
    pieces.push(piece)
    got += piece.length
  }
  return Buffer.concat(pieces)
}
