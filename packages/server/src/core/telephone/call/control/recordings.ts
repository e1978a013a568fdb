import { randomUUID } from 'node:crypto'
import { Problem } from '@offhook/contract/problem.ts'
import type { RecordingRule } from '@offhook/contract/v1/settings/recording-rule.ts'
import type { PauseReason, RunningRecording } from '#core/kernel/ports/store/call.ts'
import type { Bridge, BridgeRecording, Leg } from '#core/kernel/ports/telephony.ts'
import type { Recorded } from '#core/kernel/ports/audio.ts'
import { RecordingPermission, type AskConsent, type PermissionDeps } from './recording-permission.ts'
import type { CallTimeline } from '../records/call-timeline.ts'
import type { RunningCallRecord } from '../records/running-call-record.ts'
import type { CallProgress } from '../state/call-progress.ts'
import { languageOf } from '../state/account-language.ts'
import type { CallContext } from '../state/call-context.ts'
import type { CallDetails } from '../state/call-details.ts'
import type { Party } from '../state/party.ts'
import { hostOf } from '../state/assistant-party.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'

interface RecordingDeps extends PermissionDeps {
  readonly context: Pick<CallContext, 'store' | 'clock' | 'mayRecord' | 'recordingFiles'>
  readonly bridge: () => Bridge
  readonly books: Pick<RunningCallRecord, 'recordingBegins' | 'recordingPaused' | 'recordingEnds'>
  readonly progress: Pick<CallProgress, 'state'>
  readonly timeline: Pick<CallTimeline, 'note' | 'conceal'>
  readonly details: Pick<CallDetails, 'sides' | 'recorded'>
}

interface RecordingStart {
  /** Plays the notice to all parties even if the rule does not require it. */
  announcement: boolean
  /** How to ask for consent where the rule requires it. Default: prompt and key. */
  ask?: AskConsent
  /** The previous node was already recording: no notice or consent again. `joins`: the recording; `paused`: its reasons for a pause. */
  resumed?: { joins: string; paused: readonly PauseReason[] }
}

interface Running {
  recording: BridgeRecording
  /** Goes to the saved call, and to the entry in the end. */
  origin: Pick<RunningRecording, 'at' | 'joins' | 'place'>
}

/** Recordings of a call. Each account starts and stops its own; left channel: the account's side, right channel: the others. */
export class Recordings {
  readonly #deps: RecordingDeps
  readonly #running = new Map<string, Running>()
  /** Recordings being closed; the CDR is written after them. */
  readonly #stopping = new Set<Promise<void>>()

  /** Keyed by account, like the next two. */
  readonly #permissions = new Map<string, RecordingPermission>()
  readonly #pauses = new Map<string, Set<PauseReason>>()
  readonly #keys = new Map<string, PauseKeys>()
  /** Accounts that tell or ask somebody who came into the call. */
  readonly #admitting = new Set<string>()

  constructor(deps: RecordingDeps) {
    this.#deps = deps
  }

  /** True while a party is asked for consent: its DTMF is the answer. */
  get asking(): boolean {
    return [...this.#permissions.values()].some(({ asking }) => asking)
  }

  ruleOf(accountId: string): Promise<RecordingRule> {
    return this.#permissionOf(accountId).read()
  }

  /** Plays the notice or asks for consent as the account's rule requires, unless already done. Throws a Problem when recording is not allowed. */
  permit(accountId: string, ask?: AskConsent): Promise<void> {
    return this.#permissionOf(accountId).obtain(this.#othersOf(accountId), ask)
  }

  isRunning(accountId: string): boolean {
    return this.#running.has(accountId)
  }

  isPaused(accountId: string): boolean {
    return this.isRunning(accountId) && this.#reasonsOf(accountId).size > 0
  }

  /** Records silence while a reason exists. A reason may precede the recording and ends with the call at the latest. */
  pause(accountId: string, value: boolean, reason: PauseReason = 'user'): void {
    if (this.#deps.life.end) return
    const reasons = this.#reasonsOf(accountId)
    const before = reasons.size > 0
    if (value) reasons.add(reason)
    else reasons.delete(reason)
    this.#conceal(accountId)
    const running = this.#running.get(accountId)
    if (!running) return
    this.#deps.books.recordingPaused(running.recording.id, [...reasons])
    const isPaused = reasons.size > 0
    if (isPaused === before) return
    running.recording.pause(isPaused)
    this.#deps.timeline.note(isPaused ? 'recording_paused' : 'recording_resumed', accountId)
  }

  /** Without a rule, a requested notice is part of the recording, as evidence, and is played before queued announcements. */
  async start(accountId: string, { announcement, ask, resumed }: RecordingStart): Promise<void> {
    if (this.#running.has(accountId)) return
    // Before the awaits below: an assistant that resumes may withdraw its reason meanwhile.
    for (const reason of resumed?.paused ?? []) if (reason !== 'newcomer') this.pause(accountId, true, reason)
    const noRoom = await this.#deps.context.mayRecord(accountId)
    if (noRoom) throw new Problem(noRoom)
    if (resumed) await this.#permissionOf(accountId).resume(this.#deps.parties())
    else await this.permit(accountId, ask)
    const isAnnounced = announcement && this.#permissionOf(accountId).rule === 'none'
    const language = isAnnounced ? await languageOf(this.#deps.context, accountId) : undefined
    if (this.#deps.life.end) throw new Problem('call_not_in_state')
    if (this.#running.has(accountId)) return
    await this.#open(accountId, resumed?.joins)
    if (language === undefined) return
    const notice = this.#deps.announce({ prompt: 'recording-notice', language }, { urgent: true })
    await Promise.race([notice.begun, this.#deps.life.over])
  }

  /** Reassigns phones to the channels after a party joined or left. A caller with an assistant is alone in the bridge. */
  partiesChanged(): void {
    if (this.#running.size === 0) return
    this.#gather()
    for (const [accountId, { recording }] of this.#running) {
      recording.divide(this.#sideOf(accountId))
      this.#watchKeys(accountId)
    }
    this.admitNewcomers()
  }

  /** Informs or asks a party that joins a recorded call, and records silence until then. */
  admitNewcomers(): void {
    if (this.#deps.progress.state !== 'active') return
    for (const accountId of this.#running.keys())
      if (!this.#admitting.has(accountId) && this.#permissionOf(accountId).isMissing(this.#othersOf(accountId)))
        this.#deps.life.track(this.#admit(accountId))
  }

  async #admit(accountId: string): Promise<void> {
    this.#admitting.add(accountId)
    this.pause(accountId, true, 'newcomer')
    try {
      await this.permit(accountId)
    } catch (error) {
      await this.stop(accountId)
      if (!(error instanceof Problem)) throw error
    } finally {
      this.#admitting.delete(accountId)
      this.pause(accountId, false, 'newcomer')
    }
    this.admitNewcomers()
  }

  /** Sound that is not to be recorded is not to be kept as text either. */
  #conceal(accountId: string): void {
    const reasons = this.#reasonsOf(accountId)
    if (reasons.has('card')) this.#deps.timeline.conceal('words', accountId)
    else this.#deps.timeline.conceal(reasons.size > 0 ? 'keys' : undefined, accountId)
  }

  #reasonsOf(accountId: string): Set<PauseReason> {
    const known = this.#pauses.get(accountId) ?? new Set<PauseReason>()
    this.#pauses.set(accountId, known)
    return known
  }

  /** The phone that pressed the keys hears that they were understood. */
  #watchKeys(accountId: string): void {
    const toggle = (leg: Leg): void => {
      this.pause(accountId, !this.#reasonsOf(accountId).has('user'))
      this.#deps.life.attempt(() => void leg.audio.play({ tone: 'beep' }))
    }
    const keys = this.#keys.get(accountId) ?? new PauseKeys(this.#deps.context.clock, toggle)
    this.#keys.set(accountId, keys)
    const own = this.isRunning(accountId) ? this.#deps.parties().filter(({ station }) => station?.accountId === accountId) : []
    this.#deps.life.attempt(() => keys.watch(own.map(({ leg }) => leg)))
  }

  async #open(accountId: string, joins: string | undefined): Promise<void> {
    const file = { accountId, id: randomUUID() }
    const { clock, recordingFiles } = this.#deps.context
    const { place } = recordingFiles
    const origin = { at: clock.now(), ...(joins !== undefined && { joins }), ...(place !== undefined && { place }) }
    this.#gather()
    const recording = this.#deps.bridge().record(file, this.#sideOf(accountId))
    const paused = [...this.#reasonsOf(accountId)]
    if (paused.length > 0) recording.pause(true)
    this.#running.set(accountId, { recording, origin })
    this.#watchKeys(accountId)
    this.#deps.books.recordingBegins({ ...file, ...origin, kind: 'CALL', ...(paused.length > 0 && { paused }) })
    if (await recording.opened) {
      this.#deps.timeline.note('recording', accountId)
      if (paused.length > 0) this.#deps.timeline.note('recording_paused', accountId)
      return
    }
    this.#running.delete(accountId)
    this.#watchKeys(accountId)
    this.#deps.books.recordingEnds(file.id)
    recording.stop().catch(() => {})
    throw new Problem(this.#deps.life.end ? 'call_not_in_state' : 'recording_disk_full')
  }

  /** Adds the caller to the bridge, so that the voice of an assistant or voicemail is recorded too. */
  #gather(): void {
    const bridge = this.#deps.bridge()
    const [person] = this.#deps.parties()
    if (this.#deps.life.callHandler?.kind !== 'phone' && person) bridge.add(person.leg)
  }

  /** The account's phones; none when its assistant talks; only the caller's when all phones belong to the account. */
  #sideOf(accountId: string): Leg[] {
    const parties = this.#deps.parties()
    if (hostOf(this.#deps.life.callHandler) === accountId) return []
    const own = parties.filter(({ station }) => station?.accountId === accountId)
    return (own.length === parties.length ? own.slice(0, 1) : own).map(({ leg }) => leg)
  }

  #permissionOf(accountId: string): RecordingPermission {
    const known = this.#permissions.get(accountId) ?? new RecordingPermission(this.#deps, accountId)
    this.#permissions.set(accountId, known)
    return known
  }

  /** Recorded parties outside the account. */
  #othersOf(accountId: string): Party[] {
    const own = this.#sideOf(accountId)
    return this.#deps.parties().filter(({ leg }) => !own.includes(leg))
  }

  async stop(accountId: string): Promise<void> {
    const running = this.#running.get(accountId)
    if (!running) return
    this.#running.delete(accountId)
    this.#permissions.get(accountId)?.recordingStopped()
    this.#reasonsOf(accountId).delete('user')
    this.#conceal(accountId)
    this.#watchKeys(accountId)
    if (!this.#deps.life.end) this.#deps.timeline.note('recording_stopped', accountId)
    const stopping = this.#keep(accountId, running)
    this.#stopping.add(stopping)
    await stopping.finally(() => this.#stopping.delete(stopping))
  }

  async stopAll(): Promise<void> {
    for (const accountId of this.#running.keys()) void this.stop(accountId).catch(() => {})
    const outcomes = await Promise.allSettled(this.#stopping)
    const failed = outcomes.find((outcome) => outcome.status === 'rejected')
    if (failed) throw failed.reason
  }

  /** Keeps the entry even if closing fails: the file on disk may be usable. */
  async #keep(accountId: string, { recording, origin }: Running): Promise<void> {
    let recorded: Recorded = { durationMs: 0, bytes: 0, truncated: true }
    try {
      recorded = await recording.stop()
    } finally {
      this.#deps.details.recorded(accountId, { id: recording.id, ...origin, ...recorded })
      this.#deps.books.recordingEnds(recording.id)
    }
  }
}

/** Milliseconds between the star and the zero. */
const maxGapMs = 2_000

/** Toggles the pause of a recording by `*0` on a phone of the account. */
class PauseKeys {
  readonly #clock: Clock
  readonly #toggle: (leg: Leg) => void
  readonly #watched = new Map<Leg, () => void>()

  constructor(clock: Clock, toggle: (leg: Leg) => void) {
    this.#clock = clock
    this.#toggle = toggle
  }

  /** Watches exactly these phones. */
  watch(legs: readonly Leg[]): void {
    for (const [leg, stop] of this.#watched) {
      if (legs.includes(leg)) continue
      stop()
      this.#watched.delete(leg)
    }
    for (const leg of legs) if (!this.#watched.has(leg)) this.#watched.set(leg, this.#listen(leg))
  }

  #listen(leg: Leg): () => void {
    let starAt = -Infinity
    const pressed = (digit: string): void => {
      const isPair = digit === '0' && this.#clock.elapsed() - starAt <= maxGapMs
      starAt = digit === '*' ? this.#clock.elapsed() : -Infinity
      if (isPair) this.#toggle(leg)
    }
    return leg.observe({ dtmf: pressed })
  }
}
