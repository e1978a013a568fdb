import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { FaxObserver, FaxResult, FaxToReceive, FaxToSend } from '#core/kernel/ports/messages.ts'
import type { Cause, Dial, DialTarget, LegEnd, LegObserver, SavedDialog, FaxLeg } from '#core/kernel/ports/telephony.ts'
import type { Outside } from '../chance/outside.ts'

/** Result of a call that the far end left, or that was never answered. */
const cutOff: FaxResult = { code: 49, pages: 0, bitRate: 0, errorCorrection: false, carriedBy: 'audio', station: '' }

/** Remote fax machine that follows the test's script. */
export class ScriptedFaxLeg implements FaxLeg {
  readonly id = randomUUID()
  readonly ended: Promise<LegEnd>
  readonly target: DialTarget | undefined
  readonly dial: Dial | undefined
  answered = false
  over: LegEnd | undefined
  /** Fax to send or to receive. */
  paper: FaxToSend | FaxToReceive | undefined
  /** Properties reported from the first page on. */
  machine = { bitRate: 14_400, errorCorrection: true, carriedBy: 't38', station: '+49 30 1' } as const
  readonly #outside: Outside
  readonly #observers = new Set<LegObserver>()
  readonly #done = Promise.withResolvers<FaxResult>()
  readonly #end: (end: LegEnd) => void
  #watching: FaxObserver = {}
  #pages = 0
  #heard = false

  constructor(outside: Outside, call?: { target: DialTarget; dial: Dial }) {
    this.#outside = outside
    this.target = call?.target
    this.dial = call?.dial
    const { promise, resolve } = Promise.withResolvers<LegEnd>()
    this.ended = promise
    this.#end = resolve
  }

  observe(observer: LegObserver): () => void {
    this.#observers.add(observer)
    return () => void this.#observers.delete(observer)
  }

  async hangUp(cause: Cause): Promise<void> {
    this.#finish({ by: 'us', cause })
    this.#outside.step(`fax.hangUp ${cause}`)
  }

  dialog(): SavedDialog | undefined {
    return this.over ? undefined : { id: this.id }
  }

  send(fax: FaxToSend, observer: FaxObserver = {}): Promise<FaxResult> {
    return this.#carry(fax, observer)
  }

  receive(fax: FaxToReceive, observer: FaxObserver = {}): Promise<FaxResult> {
    if (!this.over) this.answered = true
    return this.#carry(fax, observer)
  }

  #carry(paper: FaxToSend | FaxToReceive, observer: FaxObserver): Promise<FaxResult> {
    this.#outside.step('fax.carry')
    this.paper = paper
    this.#watching = observer
    return this.#done.promise
  }

  // Actions of the far end.

  rings(): void {
    for (const observer of this.#observers) observer.ringing?.()
  }

  answers(): void {
    if (this.over) return
    this.answered = true
    for (const observer of this.#observers) observer.answered?.()
  }

  /** Confirms one more page. */
  confirms(): void {
    assert.ok(this.paper, 'nothing is being sent')
    this.#heard = true
    this.#pages += 1
    this.#watching.page?.(this.#pages)
  }

  /** Ends T.30 with this code. */
  completes(code: number | undefined = 0): void {
    this.#done.resolve(this.#result(code))
    this.#finish({ by: 'us', cause: 'normal' })
  }

  hangsUp(): void {
    this.#finish({ by: 'peer', cause: 'normal' })
  }

  refuses(cause: Cause, status?: number): void {
    this.#finish({ by: 'peer', cause, ...(status !== undefined && { status }) })
  }

  #result(code: number | undefined): FaxResult {
    return this.#heard ? { code, pages: this.#pages, ...this.machine } : { ...cutOff, code }
  }

  #finish(end: LegEnd): void {
    if (this.over) return
    this.over = end
    this.#done.resolve(this.#result(this.answered ? cutOff.code : undefined))
    this.#end(end)
  }
}
