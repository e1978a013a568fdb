import type { Tables, JournalEntry, WriteEntry } from '#core/kernel/ports/store/index.ts'
import type { CallHold, CallSnapshot, PauseReason, RunningRecording, SavedCall } from '#core/kernel/ports/store/call.ts'
import { noLongerWanted, sleep } from '#core/kernel/work/waiting.ts'
import { pause } from '#core/kernel/work/write-with-retry.ts'
import type { CallContext } from '../state/call-context.ts'
import type { CallLife } from '../state/call-life.ts'
import type { CallDetails } from '../state/call-details.ts'
import { serviceFailure, takenOver } from '../state/end.ts'
import { notifyAnswers } from './call-notifications.ts'
import { readCourse } from './snapshot.ts'
import { leaseMs } from '#core/kernel/work/leases.ts'

/** Milliseconds before a failed write is retried. */
const retryMs = 5_000
/** Milliseconds before a failed ownership query is retried; its answer decides which signalling phones get. */
const repromptMs = 1_000

interface RunningCallRecordDeps {
  readonly life: Pick<CallLife, 'id' | 'end' | 'finish'>
  readonly startedAt: number
  readonly context: Pick<CallContext, 'store' | 'clock' | 'leases' | 'journal' | 'wake' | 'onFailure'>
  readonly details: Pick<CallDetails, 'sides'>
  readonly expenses: { readonly open: readonly unknown[] }
  /** Everything another node needs now. `unknown`: fields from a newer version. */
  readonly snapshot: (recordings: readonly RunningRecording[], unknown?: object) => CallSnapshot
}

/** `gone`: another node has ended the call. `taken`: another node has resumed it. */
export type Possession = 'ours' | 'taken' | 'gone'

/**
 * State another node needs to resume or end the call if this one fails. Written when the call is answered, when an account's webhook waits
 * for its end, and on every change; always in the background.
 */
export class RunningCallRecord {
  readonly #deps: RunningCallRecordDeps
  readonly #recordings = new Map<string, RunningRecording>()
  readonly #closing = new AbortController()
  #state: 'closed' | 'open' | 'written' = 'closed'
  /** A write was attempted. */
  #started = false
  #changed = false
  #frozen = false
  #writing: Promise<void> | undefined
  #journaled = false
  #epoch = 1
  /** Unknown fields from a newer version; written back unchanged. */
  #unknown: object = {}

  constructor(deps: RunningCallRecordDeps) {
    this.#deps = deps
  }

  /** The row in the store while this node owns the call. */
  get hold(): CallHold {
    return { callId: this.#deps.life.id, owner: this.#deps.context.leases.owner, epoch: this.#epoch }
  }

  /** After a takeover: the call is in the store, already under this owner. */
  resume({ epoch, unknown }: { epoch: number; unknown: object }): void {
    this.#epoch = epoch
    this.#unknown = unknown
    this.#state = 'written'
    this.changed()
  }

  /** True if the store may contain the call. */
  get opened(): boolean {
    return this.#started || this.#journaled || this.written
  }

  /** True if the store contains the call, unless another node ended it. */
  get written(): boolean {
    return this.#state === 'written'
  }

  /** Part of a transaction. False when another node owns the call; then this node must not act for it. */
  async isOurs({ runningCalls }: Tables): Promise<boolean> {
    return !this.written || !(await runningCalls.isTaken(this.hold))
  }

  /** Queries the store. */
  async possession(): Promise<Possession> {
    if (!this.opened) return 'ours'
    const { runningCalls } = this.#deps.context.store.read
    const holder = await runningCalls.holderOf(this.#deps.life.id)
    if (!holder) return this.written ? 'gone' : 'ours'
    return holder.owner === this.hold.owner && holder.epoch === this.#epoch ? 'ours' : 'taken'
  }

  /**
   * False when another node has resumed the call. If the store is unavailable, the call stays ours until the lease is late; from then on
   * no phone is signalled before the owner is known.
   */
  async stillOurs(): Promise<boolean> {
    const { context, life } = this.#deps
    for (;;) {
      try {
        return (await this.possession()) !== 'taken'
      } catch (error) {
        context.onFailure(error, life.id)
      }
      if (!context.leases.late) return true
      if (this.#deps.life.end || this.#closing.signal.aborted) return false
      await sleep(context.clock, repromptMs, this.#closing.signal)
    }
  }

  /** From now on the end of the call must not be lost. */
  open(): void {
    if (this.#state === 'closed') this.#state = 'open'
    this.changed()
  }

  /** A party joined or left, or other saved state changed. */
  changed(): void {
    if (this.#state === 'closed' || this.#deps.life.end) return
    this.#changed = true
    if (this.#frozen) return
    this.#writing ??= this.#write()
  }

  /** Writes the current state and stops writing until `thaw`, so that another node can take the call. Undefined when it cannot be taken. */
  async freeze(): Promise<CallHold | undefined> {
    this.changed()
    await this.#writing
    const snapshot = this.#deps.snapshot([])
    if (!this.written || this.#changed || this.#deps.life.end || typeof readCourse(snapshot, snapshot.dialogs.length) === 'string')
      return undefined
    this.#frozen = true
    return this.hold
  }

  /** Cancels `freeze`. */
  thaw(): void {
    this.#frozen = false
    if (this.#changed) this.changed()
  }

  /** Recording to this file has started. */
  recordingBegins(recording: RunningRecording): void {
    this.#recordings.set(recording.id, recording)
    this.changed()
  }

  /** Another process that goes on with the call must not record what is not to be recorded. */
  recordingPaused(id: string, paused: readonly PauseReason[]): void {
    const { paused: _before, ...known } = this.#recordings.get(id) ?? {}
    if (!('id' in known)) return
    this.#recordings.set(id, { ...known, ...(paused.length > 0 && { paused }) })
    this.changed()
  }

  recordingEnds(id: string): void {
    if (this.#recordings.delete(id)) this.changed()
  }

  /** Resolves when all changes so far are written, or the call has ended. */
  async saved(): Promise<void> {
    await this.#writing
  }

  /** Resolves when no more writes will follow. */
  async stop(): Promise<void> {
    this.#closing.abort(noLongerWanted)
    await this.#writing
  }

  /** Deferred, so that simultaneous changes share one write. */
  async #write(): Promise<void> {
    await Promise.resolve()
    while (this.#changed && !this.#deps.life.end) {
      this.#changed = false
      await this.#trySaving()
    }
    this.#writing = undefined
  }

  async #trySaving(): Promise<void> {
    const { context, life } = this.#deps
    try {
      if (!(await this.#save())) this.#deps.life.finish((await this.possession()) === 'taken' ? takenOver : serviceFailure)
    } catch (error) {
      if (this.#closing.signal.aborted && error === this.#closing.signal.reason) return
      context.onFailure(error, life.id)
      this.#changed = true
      await pause({ ...context, closing: this.#closing.signal }, retryMs)
    }
  }

  /** False when another node considered this one dead and has taken or ended the call. */
  async #save(): Promise<boolean> {
    const { context, details } = this.#deps
    const callId = this.#deps.life.id
    const fresh = this.#state === 'open'
    const answered = details.sides.flatMap(({ followed }) => followed.filter((one) => one.answered && one.onAnswer !== undefined))
    const save = async (tables: Tables): Promise<boolean> => {
      this.#started = true
      this.#changed = false // includes all changes so far
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

  /** Current state. */
  #saved(): SavedCall {
    const { context, startedAt } = this.#deps
    const snapshot = this.#deps.snapshot([...this.#recordings.values()], this.#unknown)
    return { ...this.hold, startedAt, savedAt: context.clock.now(), snapshot }
  }

  /** Without a webhook or charges the write may join the commits of other calls; a call that ends earlier is not written here at all. */
  get #mayWait(): boolean {
    const { details, expenses } = this.#deps
    return expenses.open.length === 0 && details.sides.every(({ followed }) => followed.length === 0)
  }

  /** Only this process knows the call: journals it for the next start. */
  async #keep(call: SavedCall): Promise<void> {
    if (this.#journaled) return
    this.#journaled = true
    await this.#deps.context.journal?.keep(storedRunning(call))
  }
}

export const runningCall = 'call.running'

/** Journal entry for a running call that is not in the store yet. */
const storedRunning = (call: SavedCall): JournalEntry => ({ kind: runningCall, id: call.callId, payload: call })

/**
 * Applies only after a restart: a live process writes the call itself. Afterwards the call counts as owned by a dead process, as if it had
 * been written at its start.
 */
export const writeStoredRunning =
  (self: string): WriteEntry =>
  async (tables, payload) => {
    const call = payload as SavedCall
    if (call.owner === self) return
    if (await tables.runningCalls.open(call)) await leaveTo(tables, call)
  }

const leaveTo = async ({ leases }: Tables, { owner, savedAt }: SavedCall): Promise<void> => {
  if (!(await leases.find(owner))) await leases.renew({ owner, until: savedAt + leaseMs })
}
