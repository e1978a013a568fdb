import { Problem } from '@offhook/contract/problem.ts'
import { type LabReport, type LabSettings, type LabWish, longestLabSeconds } from '@offhook/contract/v2/lab.ts'
import type { TimelineEntry } from '@offhook/contract/v2/timeline.ts'
import { languageTag } from '#core/account/flows/check-settings.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import type { Lab, LabFindings, LabRun, LabWork, Speech, BothSides, RecordedSpeech, VoiceAt } from '#core/kernel/ports/speech.ts'
import type { RecordingFiles, OpenRecording } from '#core/kernel/ports/files.ts'
import type { FlowSettings } from '#core/kernel/ports/store/assistant.ts'
import type { Redactor } from '#core/kernel/redaction/redactor.ts'
import { languageOf } from '#core/telephone/call/state/account-language.ts'
import { mayHear } from '#core/telephone/recordings/recording-links.ts'
import { findTimeline, readPage, type TimelineReading } from '#core/telephone/timeline/read-timeline.ts'
import { redactorFor } from '#core/telephone/timeline/concealment.ts'
import { placedAt } from './listen-again.ts'
import { agreementOf, findingsOf, variantOf } from './compare-runs.ts'
import { readRecordedCall } from './recorded-call.ts'

interface LabDeps extends TimelineReading {
  recordingFiles: RecordingFiles
  speech: Speech
}

/** Replays a call with other settings. */
export const runLab = async (deps: LabDeps, caller: UserCaller, name: string, { variants, labels }: LabWish): Promise<LabReport> => {
  const { store, speech } = deps
  variants.forEach(requireLanguage)
  const { callId } = await findTimeline(deps, caller, name)
  const entries = await readAll(deps, caller, callId)
  const { sound, recordedAt } = await findSound(deps, caller, callId)
  if (!speech.lab) throw new Problem('unavailable', 'This installation does not recognise speech: set OFFHOOK_SPEECH to embedded.')
  const accountLanguage = await languageOf(deps, caller.accountId)
  const call = readRecordedCall(entries, recordedAt, accountLanguage)
  const flow = call.flowId === undefined ? undefined : await store.read.flows.find(caller.accountId, call.flowId)
  const settings = flow?.settings ?? {}
  const asItWas = labSettings(settings)
  const all = [asItWas, ...variants.map((variant) => ({ ...asItWas, ...variant.settings }))]
  const language = settings.language ?? accountLanguage
  const languages = settings.stt?.languages ?? [language]
  const heard = until(sound, call.endMs)
  const sides = sidesOf(heard, call)
  const work = { ...call, sound: sides, languages, vocabulary: settings.stt?.vocabulary ?? [], variants: all }
  const { shiftMs, runs } = await running(speech.lab, caller.accountId, work)
  const [again = noRun, ...others] = runs.map((run) => redacted(run, redactorFor(settings)))
  const live = placedAt(call.live, shiftMs)
  return {
    callId,
    seconds: Math.round(sides.heard.length / sides.rate),
    ...(sound.truncated && { truncated: true }),
    live: { ...findingsOf(live, labels), settings: asItWas },
    agreement: agreementOf(live, again),
    variants: others.map((run, nth) => variantOf({ ...named(variants[nth], nth), run }, { labels, live })),
  }
}

const requireLanguage = ({ settings }: LabWish['variants'][number], nth: number): void => {
  if (settings.language !== undefined) languageTag(`variants/${nth}/settings/language`, settings.language)
}

const noRun: LabRun = { turns: [], interruptions: [] }

const running = (lab: Lab, accountId: string, work: LabWork): Promise<LabFindings> => {
  const findings = lab.run(accountId, work)
  if (!findings) throw new Problem('lab_busy')
  return findings
}

const named = (variant: LabWish['variants'][number] | undefined, nth: number): { name: string; settings: LabSettings } => ({
  name: variant?.name ?? `${nth + 1}`,
  settings: variant?.settings ?? {},
})

/** Flow settings that control turns and interruptions. */
const labSettings = ({ endOfTurnSilenceMs, turnTaking, bargeIn }: FlowSettings): LabSettings => ({
  ...(endOfTurnSilenceMs !== undefined && { vad: { end_of_turn_silence_ms: endOfTurnSilenceMs } }),
  ...(turnTaking && { turn_taking: turnTaking }),
  ...(bargeIn && { barge_in: bargeIn }),
})

const entriesPerBatch = 1000

const readAll = async ({ store }: LabDeps, caller: UserCaller, callId: string): Promise<TimelineEntry[]> => {
  const all: TimelineEntry[] = []
  for (;;) {
    const { items, more } = await readPage(store, { caller, locale: 'en_US' }, callId, {
      after: all.at(-1)?.sequence ?? 0,
      limit: entriesPerBatch,
    })
    all.push(...items)
    if (!more) return all
  }
}

/** First recording with separate sides. */
const findSound = async (
  { store, recordingFiles }: LabDeps,
  caller: UserCaller,
  callId: string,
): Promise<{ sound: TwoChannels; recordedAt: number }> => {
  for (const recording of await store.read.recordings.listByCall(caller.accountId, callId)) {
    const parts = recording.partOf === undefined ? await store.read.recordings.listParts(caller.accountId, recording.id) : []
    const file = (await mayHear(store.read, caller, recording)) ? await recordingFiles.join(parts) : undefined
    if (!file) continue
    try {
      const sound = await readTwoChannels(file)
      if (sound) return { sound, recordedAt: recording.createdAt }
    } finally {
      await file.close()
    }
  }
  throw new Problem('call_not_recorded')
}

/** Cuts the recording at the end of the assistant's part. */
const until = (sound: TwoChannels, endMs: number | undefined): TwoChannels => {
  const length = endMs === undefined ? sound.left.length : Math.max(0, Math.min(sound.left.length, Math.round((endMs * sound.rate) / 1000)))
  return { ...sound, left: sound.left.slice(0, length), right: sound.right.slice(0, length) }
}

/** Redacts newly recognised words like the stored words of the call. */
const redacted = (run: LabRun, redactor: Redactor | undefined): LabRun => {
  if (!redactor) return run
  const without = <T extends { text?: string }>(one: T): T => (one.text === undefined ? one : { ...one, text: redactor.begun(one.text) })
  return { turns: run.turns.map(without), interruptions: run.interruptions.map(without) }
}

const headerBytes = 44
const bytesPerPair = 4
/** 32 seconds: splitting them blocks the event loop for a millisecond or two. */
const pairsAtOnce = 256 * 1024

/** A two-channel recording in our own format. */
interface TwoChannels {
  rate: number
  left: Int16Array<ArrayBuffer>
  right: Int16Array<ArrayBuffer>
  truncated: boolean
}

/** Undefined for a single channel or an empty file. */
const readTwoChannels = async (file: OpenRecording): Promise<TwoChannels | undefined> => {
  const header = await file.read(0, headerBytes)
  if (header.length < headerBytes) return undefined
  const view = new DataView(header.buffer, header.byteOffset, headerBytes)
  const [channels, rate] = [view.getUint16(22, true), view.getUint32(24, true)]
  const pairs = Math.floor((file.bytes - headerBytes) / bytesPerPair)
  if (channels !== 2 || pairs <= 0) return undefined
  const wanted = Math.min(pairs, longestLabSeconds * rate)
  const [left, right] = [new Int16Array(wanted), new Int16Array(wanted)]
  let read = 0
  for (let got = 1; read < wanted && got > 0; read += got) {
    const bytes = await file.read(headerBytes + read * bytesPerPair, Math.min(pairsAtOnce, wanted - read) * bytesPerPair)
    got = takeApart(bytes, left.subarray(read), right.subarray(read))
  }
  return { rate, left: left.subarray(0, read), right: right.subarray(0, read), truncated: wanted < pairs }
}

/** Splits interleaved samples; returns the number of pairs. */
const takeApart = (bytes: Uint8Array, left: Int16Array, right: Int16Array): number => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const pairs = Math.floor(bytes.length / bytesPerPair)
  for (let nth = 0; nth < pairs; nth++) {
    left[nth] = view.getInt16(nth * bytesPerPair, true)
    right[nth] = view.getInt16(nth * bytesPerPair + 2, true)
  }
  return pairs
}

/**
 * The caller may be on either side, because phones of the account are on the left. The assistant's side is the one with energy during its
 * speeches.
 */
const sidesOf = (
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
