import { randomUUID } from 'node:crypto'
import { Problem } from '@offhook/contract/problem.ts'
import type { Bridge, BridgeRecording, Leg, Recorded } from '#core/kernel/ports/telephony.ts'
import { announce, type AnnouncedCall } from './announce.ts'
import type { RunningCallRecord } from '../records/open-books.ts'
import type { CallTimeline } from '../records/call-timeline.ts'
import { languageOf } from '../state/account-language.ts'
import type { CallContext } from '../state/call-context.ts'
import type { CallDetails } from '../state/call-details.ts'
import { hostOf } from '../state/taker.ts'

/** A call that can be recorded. */
interface RecordedCall extends AnnouncedCall {
  readonly context: Pick<CallContext, 'store' | 'clock' | 'mayRecord'>
  readonly bridge: Bridge
  readonly books: Pick<RunningCallRecord, 'recordingBegins' | 'recordingEnds'>
  readonly timeline: Pick<CallTimeline, 'note'>
  readonly details: Pick<CallDetails, 'recorded'>
}

interface Running {
  recording: BridgeRecording
  at: number
}

/** What accounts record of a call: each its own, begun and ended when it wants. Left is the account's side, right are the others. */
export class Recordings {
  readonly #call: RecordedCall
  readonly #running = new Map<string, Running>()
  /** Those that are being ended: the call is not written down without them. */
  readonly #stopping = new Set<Promise<void>>()

  constructor(call: RecordedCall) {
    this.#call = call
  }

  isRunning(accountId: string): boolean {
    return this.#running.has(accountId)
  }

  /** The announcement is part of the recording, so that it can be proved, and comes before other announcements that wait. */
  async start(accountId: string, { announcement }: { announcement: boolean }): Promise<void> {
    if (this.#running.has(accountId)) return
    const noRoom = await this.#call.context.mayRecord(accountId)
    if (noRoom) throw new Problem(noRoom)
    const language = announcement ? await languageOf(this.#call.context, accountId) : undefined
    if (this.#call.end) throw new Problem('call_not_in_state')
    if (this.#running.has(accountId)) return
    await this.#open(accountId)
    if (language === undefined) return
    const notice = announce(this.#call, { prompt: 'recording-notice', language }, { urgent: true })
    await Promise.race([notice.begun, this.#call.over])
  }

  /** A party came or left: each side of the recording has other phones now, and a caller with an assistant is alone in the bridge. */
  partiesChanged(): void {
    if (this.#running.size === 0) return
    this.#gather()
    for (const [accountId, { recording }] of this.#running) recording.divide(this.#sideOf(accountId))
  }

  async #open(accountId: string): Promise<void> {
    const file = { accountId, id: randomUUID() }
    const at = this.#call.context.clock.now()
    this.#gather()
    const recording = this.#call.bridge.record(file, this.#sideOf(accountId))
    this.#running.set(accountId, { recording, at })
    this.#call.books.recordingBegins({ ...file, kind: 'CALL', at })
    if (await recording.opened) return this.#call.timeline.note('recording', accountId)
    this.#running.delete(accountId)
    this.#call.books.recordingEnds(file.id)
    recording.stop().catch(() => {})
    throw new Problem(this.#call.end ? 'call_not_in_state' : 'recording_disk_full')
  }

  /** What an assistant or a voicemail says to the caller is recorded like everything else. */
  #gather(): void {
    const { taker: callHandler, parties, bridge } = this.#call
    const [person] = parties
    if (callHandler?.kind !== 'phone' && person) bridge.add(person.leg)
  }

  /** The account's phones, or none when its assistant talks; when all phones are its own, only the caller's. */
  #sideOf(accountId: string): Leg[] {
    const { parties, taker: callHandler } = this.#call
    if (hostOf(callHandler) === accountId) return []
    const own = parties.filter(({ station }) => station?.accountId === accountId)
    return (own.length === parties.length ? own.slice(0, 1) : own).map(({ leg }) => leg)
  }

  async stop(accountId: string): Promise<void> {
    const running = this.#running.get(accountId)
    if (!running) return
    this.#running.delete(accountId)
    if (!this.#call.end) this.#call.timeline.note('recording_stopped', accountId)
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

  /** Also when it could not be ended as it should: what is on the disk may be worth something. */
  async #keep(accountId: string, { recording, at }: Running): Promise<void> {
    let recorded: Recorded = { durationMs: 0, bytes: 0, truncated: true }
    try {
      recorded = await recording.stop()
    } finally {
      this.#call.details.recorded(accountId, { id: recording.id, at, ...recorded })
      this.#call.books.recordingEnds(recording.id)
    }
  }
}
