import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { RunningRecording } from '#core/kernel/ports/store/call/running-calls.ts'
import { sleep } from '#core/kernel/work/sleep.ts'
import type { CallContext } from '../state/call-context.ts'
import type { OngoingCall } from '../state/ongoing-call.ts'
import { serviceFailure } from '../state/end.ts'
import { tellAnswers } from './call-notifications.ts'
import { snapshotOf, type KeptCall } from './snapshot.ts'

/** How long after a failed try it is tried again. */
const againMs = 5_000

/** A call while its books are open. */
interface BookedCall extends KeptCall, Pick<OngoingCall, 'id' | 'end' | 'finish'> {
  readonly context: Pick<CallContext, 'clock' | 'leases' | 'wake' | 'onFailure'>
}

/**
 * What another process needs to end a call in case this one does not. Written when the call is answered, or an account's software waits
 * for its end, and when that changes; the call does not wait for it.
 */
export class OpenBooks {
  readonly #call: BookedCall
  readonly #recordings = new Map<string, RunningRecording>()
  readonly #closing = new AbortController()
  #state: 'closed' | 'open' | 'written' = 'closed'
  #changed = false
  #writing: Promise<void> | undefined

  constructor(call: BookedCall) {
    this.#call = call
  }

  /** There may be something of the call in the store. */
  get opened(): boolean {
    return this.#state !== 'closed'
  }

  /** There is for sure, unless another process ended the call. */
  get written(): boolean {
    return this.#state === 'written'
  }

  /** From now on the end of the call must not be lost. */
  open(): void {
    if (this.#state === 'closed') this.#state = 'open'
    this.changed()
  }

  /** A party came or left, or something else differs from what was written. */
  changed(): void {
    if (this.#state === 'closed' || this.#call.end) return
    this.#changed = true
    this.#writing ??= this.#write()
  }

  /** A file is being written from now on. */
  recordingBegins(recording: RunningRecording): void {
    this.#recordings.set(recording.id, recording)
    this.changed()
  }

  recordingEnds(id: string): void {
    if (this.#recordings.delete(id)) this.changed()
  }

  /** Resolves when what has changed so far is written, or the call is over. */
  async saved(): Promise<void> {
    await this.#writing
  }

  /** Nothing is written any more when it resolves. */
  async stop(): Promise<void> {
    this.#closing.abort()
    await this.#writing
  }

  /** Not at once: what happens together is written together. */
  async #write(): Promise<void> {
    await Promise.resolve()
    while (this.#changed && !this.#call.end) {
      this.#changed = false
      await this.#trySaving()
    }
    this.#writing = undefined
  }

  async #trySaving(): Promise<void> {
    const { context, id } = this.#call
    try {
      if (!(await this.#save())) this.#call.finish(serviceFailure)
    } catch (error) {
      context.onFailure(error, id)
      this.#changed = true
      await sleep(context.clock, againMs, this.#closing.signal)
    }
  }

  /** False when another process believed this one gone and ended the call. */
  async #save(): Promise<boolean> {
    const { context, id: callId, details } = this.#call
    const snapshot = snapshotOf(this.#call, [...this.#recordings.values()])
    const at = context.clock.now()
    const call = { callId, owner: context.leases.owner, savedAt: at, snapshot }
    const fresh = this.#state === 'open'
    const answered = details.sides.flatMap(({ followed }) => followed.filter((one) => one.answered && one.onAnswer !== undefined))
    const save = async (tables: Tables): Promise<boolean> => {
      const there = (fresh && (await tables.runningCalls.open(call))) || (await tables.runningCalls.update(callId, snapshot, at))
      if (there) await tellAnswers(tables, details.sides, at)
      return there
    }
    const kept = await context.leases.hold(`call ${callId}`, save, () => this.changed())
    this.#state = 'written'
    for (const followed of answered) followed.onAnswer = undefined
    if (answered.length > 0) context.wake()
    return kept
  }
}
