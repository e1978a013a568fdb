import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { CallHold, RunningRecording, SavedCall } from '#core/kernel/ports/store/call/running-calls.ts'
import { noLongerWanted } from '#core/kernel/work/no-longer-wanted.ts'
import { sleep } from '#core/kernel/work/sleep.ts'
import { pause } from '#core/kernel/work/write-with-retry.ts'
import type { CallContext } from '../state/call-context.ts'
import type { OngoingCall } from '../state/ongoing-call.ts'
import { serviceFailure, takenOver } from '../state/end.ts'
import { notifyAnswers } from './call-notifications.ts'
import { storedRunning } from './kept-end.ts'
import { readCourse } from './course.ts'
import { snapshotOf, type StoredCall } from './snapshot.ts'

/** How long after a failed try it is tried again. */
const retryMs = 5_000
/** The same for a question whose answer decides what phones are told. */
const repromptMs = 1_000

/** A call while its books are open. */
interface BookedCall extends StoredCall, Pick<OngoingCall, 'id' | 'end' | 'finish'> {
  readonly context: Pick<CallContext, 'store' | 'clock' | 'leases' | 'journal' | 'wake' | 'onFailure'>
}

/** `gone`: another process has ended it. `taken`: another one goes on with it. */
export type Possession = 'ours' | 'taken' | 'gone'

/**
 * What another process needs to go on with a call, or to end it, in case this one does not. Written when the call is answered, or an account's software waits
 * for its end, and when that changes; the call does not wait for it.
 */
export class RunningCallRecord {
  readonly #call: BookedCall
  readonly #recordings = new Map<string, RunningRecording>()
  readonly #closing = new AbortController()
  #state: 'closed' | 'open' | 'written' = 'closed'
  /** It was tried to write it. */
  #started = false
  #changed = false
  #frozen = false
  #writing: Promise<void> | undefined
  #journaled = false
  #epoch = 1
  /** What a later version had written about it. */
  #unknown: object = {}

  constructor(call: BookedCall) {
    this.#call = call
  }

  /** As it stands in the store while the call is this process's. */
  get hold(): CallHold {
    return { callId: this.#call.id, owner: this.#call.context.leases.owner, epoch: this.#epoch }
  }

  /** The call was another process's: it stands in the store, under our name already. */
  resume({ epoch, unknown }: { epoch: number; unknown: object }): void {
    this.#epoch = epoch
    this.#unknown = unknown
    this.#state = 'written'
    this.changed()
  }

  /** There may be something of the call in the store. */
  get opened(): boolean {
    return this.#started || this.#journaled || this.written
  }

  /** There is for sure, unless another process ended the call. */
  get written(): boolean {
    return this.#state === 'written'
  }

  /** Part of a transaction: false when another process has the call. Then nothing may be done in its name. */
  async isOurs({ runningCalls }: Tables): Promise<boolean> {
    return !this.written || !(await runningCalls.isTaken(this.hold))
  }

  /** Asks the store. */
  async possession(): Promise<Possession> {
    if (!this.written) return 'ours'
    const { runningCalls } = this.#call.context.store.read
    const holder = await runningCalls.holderOf(this.#call.id)
    if (!holder) return 'gone'
    return holder.owner === this.hold.owner && holder.epoch === this.#epoch ? 'ours' : 'taken'
  }

  /**
   * False when another process goes on with the call. When the store cannot be asked, it is ours as long as nobody can believe this process
   * gone; after that nothing is said to anybody before it is known.
   */
  async stillOurs(): Promise<boolean> {
    const { context, id } = this.#call
    for (;;) {
      try {
        return (await this.possession()) !== 'taken'
      } catch (error) {
        context.onFailure(error, id)
      }
      if (!context.leases.late) return true
      if (this.#call.end || this.#closing.signal.aborted) return false
      await sleep(context.clock, repromptMs, this.#closing.signal)
    }
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
    if (this.#frozen) return
    this.#writing ??= this.#write()
  }

  /** Writes it as it is now, and nothing more before `thaw`: another process is to take it. Undefined when it cannot be taken. */
  async freeze(): Promise<CallHold | undefined> {
    this.changed()
    await this.#writing
    const snapshot = snapshotOf(this.#call, [])
    if (!this.written || this.#changed || this.#call.end || typeof readCourse(snapshot, snapshot.dialogs.length) === 'string')
      return undefined
    this.#frozen = true
    return this.hold
  }

  /** It is not taken. */
  thaw(): void {
    this.#frozen = false
    if (this.#changed) this.changed()
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
    this.#closing.abort(noLongerWanted)
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
      if (!(await this.#save())) this.#call.finish((await this.possession()) === 'taken' ? takenOver : serviceFailure)
    } catch (error) {
      if (this.#closing.signal.aborted && error === this.#closing.signal.reason) return
      context.onFailure(error, id)
      this.#changed = true
      await pause({ ...context, closing: this.#closing.signal }, retryMs)
    }
  }

  /** False when another process believed this one gone and has taken or ended the call. */
  async #save(): Promise<boolean> {
    const { context, id: callId, details } = this.#call
    const fresh = this.#state === 'open'
    const answered = details.sides.flatMap(({ followed }) => followed.filter((one) => one.answered && one.onAnswer !== undefined))
    const save = async (tables: Tables): Promise<boolean> => {
      this.#started = true
      this.#changed = false // what has changed until now is in it
      const { snapshot, ...call } = this.#saved()
      const there =
        (fresh && (await tables.runningCalls.open({ ...call, snapshot }))) ||
        (await tables.runningCalls.update(call, snapshot, call.savedAt))
      if (there) await notifyAnswers(tables, details.sides, call.savedAt)
      return there
    }
    const kept = await context.leases
      .hold(`call ${callId}`, save, () => this.changed(), this.#mayWait ? this.#closing.signal : undefined)
      .catch(async (error: unknown) => {
        if (fresh && !this.#closing.signal.aborted) await this.#keep(this.#saved())
        throw error
      })
    this.#state = 'written'
    for (const followed of answered) followed.onAnswer = undefined
    if (answered.length > 0) context.wake()
    return kept
  }

  /** As it is now. */
  #saved(): SavedCall {
    const { context, startedAt } = this.#call
    const snapshot = snapshotOf(this.#call, [...this.#recordings.values()], this.#unknown)
    return { ...this.hold, startedAt, savedAt: context.clock.now(), snapshot }
  }

  /** Nobody waits for it, and nothing is to be paid: then it shares the commit of others, and of a call that ends before that nothing is written here. */
  get #mayWait(): boolean {
    const { details, expenses } = this.#call
    return expenses.open.length === 0 && details.sides.every(({ followed }) => followed.length === 0)
  }

  /** Nobody but this process knows of the call: its next run has to. */
  async #keep(call: SavedCall): Promise<void> {
    if (this.#journaled) return
    this.#journaled = true
    await this.#call.context.journal?.keep(storedRunning(call))
  }
}
