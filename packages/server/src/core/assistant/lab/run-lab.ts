import { Problem } from '@offhook/contract/problem.ts'
import type { LabReport, LabSettings, LabWish } from '@offhook/contract/v2/lab.ts'
import type { TimelineEntry } from '@offhook/contract/v2/timeline.ts'
import { languageTag } from '#core/account/flows/check-settings.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import type { Lab, LabRun } from '#core/kernel/ports/lab/lab.ts'
import type { RecordingFiles } from '#core/kernel/ports/recording-files.ts'
import type { Speech } from '#core/kernel/ports/speech.ts'
import type { FlowSettings } from '#core/kernel/ports/store/assistant/flows.ts'
import type { Redactor } from '#core/kernel/redaction/redactor.ts'
import { languageOf } from '#core/telephone/call/state/account-language.ts'
import { mayHear } from '#core/telephone/recordings/find-recording.ts'
import { findTimeline, readPage, type TimelineReading } from '#core/telephone/timeline/read-timeline.ts'
import { redactorFor } from '#core/telephone/timeline/redact-happening.ts'
import { placedAt } from './align.ts'
import { agreementOf, findingsOf, variantOf } from './compare-runs.ts'
import { readRecordedCall } from './recorded-call.ts'
import { readTwoChannels, sidesOf, type TwoChannels } from './recorded-sound.ts'

export interface LabDeps extends TimelineReading {
  recordingFiles: RecordingFiles
  speech: Speech
}

/** What would have been in a call with other settings. */
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
  const { shiftMs, runs } = await running(speech.lab, work)
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

const running = (lab: Lab, work: Parameters<Lab['run']>[0]): ReturnType<Lab['run']> & {} => {
  const findings = lab.run(work)
  if (!findings) throw new Problem('lab_busy')
  return findings
}

const named = (variant: LabWish['variants'][number] | undefined, nth: number): { name: string; settings: LabSettings } => ({
  name: variant?.name ?? `${nth + 1}`,
  settings: variant?.settings ?? {},
})

/** What of a flow decides about turns and interruptions. */
export const labSettings = ({ endOfTurnSilenceMs, turnTaking, bargeIn }: FlowSettings): LabSettings => ({
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

/** The first recording that has both sides apart. */
const findSound = async (
  { store, recordingFiles }: LabDeps,
  caller: UserCaller,
  callId: string,
): Promise<{ sound: TwoChannels; recordedAt: number }> => {
  for (const recording of await store.read.recordings.listByCall(caller.accountId, callId)) {
    const file = (await mayHear(store.read, caller, recording)) ? await recordingFiles.open(recording) : undefined
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

/** Who has the call afterwards is not listened to. */
const until = (sound: TwoChannels, endMs: number | undefined): TwoChannels => {
  const length = endMs === undefined ? sound.left.length : Math.max(0, Math.min(sound.left.length, Math.round((endMs * sound.rate) / 1000)))
  return { ...sound, left: sound.left.slice(0, length), right: sound.right.slice(0, length) }
}

/** The words of the call are kept without what is not to be kept, and so is what is understood again. */
const redacted = (run: LabRun, redactor: Redactor | undefined): LabRun => {
  if (!redactor) return run
  const without = <T extends { text?: string }>(one: T): T => (one.text === undefined ? one : { ...one, text: redactor.begun(one.text) })
  return { turns: run.turns.map(without), interruptions: run.interruptions.map(without) }
}
