import type { ResponsePdu } from '../pdu/pdu.ts'
import type { SmppClock } from './session-options.ts'
import { SmppNotSent, SmppRefused, SmppUnanswered } from '../pdu/smpp-error.ts'
import { isThrottled, status } from '../pdu/status.ts'

interface Entry {
  command: string
  pdu: Buffer
  /** When it was written, and before that when it began to wait. */
  since: number
  resolve: (response: ResponsePdu) => void
  reject: (error: Error) => void
}

export interface WindowOptions {
  clock: SmppClock
  write: (pdu: Buffer) => void
  /** A request got no response in time. */
  late: () => void
  window: number
  waiting: number
  responseTimeoutMs: number
  perSecond: number | undefined
}

const lastSequence = 0x7fffffff
const firstPauseMs = 1_000
const maxPauseMs = 30_000

/**
 * Our requests on one connection: a window of them without a response, the others wait for their turn. After a throttling status sending
 * pauses. No request waits for ever, neither for its turn nor for its response.
 */
export class RequestWindow {
  readonly #options: WindowOptions
  /** By sequence number, in the order in which they were written, so the first is the first to be late. */
  readonly #open = new Map<number, Entry>()
  #messagesOpen = 0
  #queue: Entry[] = []
  #sequence = 0
  #held = false
  /** Nothing is sent before: by the agreed rate, and after throttling. */
  #nextAt = 0
  #pausedUntil = 0
  #pauseMs = firstPauseMs
  #closed: string | undefined
  #cancelLate: (() => void) | undefined
  #cancelTurn: (() => void) | undefined
  #idle: (() => void)[] = []

  constructor(options: WindowOptions) {
    this.#options = options
  }

  /** A message: it takes its turn. Its sequence number is filled in when it goes out. */
  request(command: string, pdu: Buffer): Promise<ResponsePdu> {
    return new Promise((resolve, reject) => {
      if (this.#closed !== undefined) return reject(new SmppNotSent(this.#closed))
      if (this.#queue.length >= this.#options.waiting) return reject(new SmppNotSent('Too many messages wait already'))
      this.#queue.push({ command, pdu, since: this.#options.clock.now(), resolve, reject })
      this.#watch()
      this.#pump()
    })
  }

  /** Requests about the connection itself: they overtake. */
  urgent(command: string, pdu: Buffer): Promise<ResponsePdu> {
    return new Promise((resolve, reject) => {
      if (this.#closed !== undefined) return reject(new SmppNotSent(this.#closed))
      this.#write({ command, pdu, since: 0, resolve, reject })
    })
  }

  /** The sequence number names the request; a response without one, or one that is too late, is ignored. */
  answered(response: ResponsePdu): void {
    const entry = this.#open.get(response.sequence)
    if (!entry || (response.command !== 'generic_nack' && response.command !== `${entry.command}_resp`)) return
    this.#forget(response.sequence, entry)
    if (response.status === status.ok && response.command !== 'generic_nack') {
      this.#pauseMs = firstPauseMs
      entry.resolve(response)
    } else {
      if (isThrottled(response.status)) this.#pause()
      entry.reject(new SmppRefused(entry.command, response.status))
    }
    this.#pump()
  }

  /** The far end does not read: nothing new is written until `release`. */
  hold(): void {
    this.#held = true
  }

  release(): void {
    this.#held = false
    this.#pump()
  }

  /** Waiting requests are rejected; resolves when all that were written have their response. */
  async drain(why: string): Promise<void> {
    this.#sendBack(why)
    if (this.#messagesOpen > 0) await new Promise<void>((resolve) => this.#idle.push(resolve))
  }

  close(why: string): void {
    if (this.#closed !== undefined) return
    this.#closed = why
    this.#cancelLate?.()
    this.#cancelTurn?.()
    this.#sendBack(why)
    for (const [sequence, entry] of this.#open) {
      this.#forget(sequence, entry)
      entry.reject(new SmppUnanswered(`${entry.command} was sent and not answered: ${why}`))
    }
  }

  #sendBack(why: string): void {
    const waiting = this.#queue
    this.#queue = []
    for (const entry of waiting) entry.reject(new SmppNotSent(why))
  }

  #pump(): void {
    const { window, clock, perSecond } = this.#options
    while (this.#queue.length > 0 && this.#messagesOpen < window && !this.#held) {
      const now = clock.now()
      const wait = Math.max(this.#nextAt, this.#pausedUntil) - now
      if (wait > 0) return this.#takeTurnLater(wait)
      if (perSecond !== undefined) this.#nextAt = slotAfter(this.#nextAt, now, 1000 / perSecond)
      this.#messagesOpen += 1
      this.#write(this.#queue.shift()!)
    }
  }

  #takeTurnLater(ms: number): void {
    this.#cancelTurn ??= this.#options.clock.after(ms, () => {
      this.#cancelTurn = undefined
      this.#pump()
    })
  }

  /** Longer each time, if nothing was accepted in between; the responses of one window count once. */
  #pause(): void {
    const now = this.#options.clock.now()
    if (now < this.#pausedUntil) return
    this.#pausedUntil = now + this.#pauseMs
    this.#pauseMs = Math.min(this.#pauseMs * 2, maxPauseMs)
  }

  #write(entry: Entry): void {
    this.#sequence = this.#sequence === lastSequence ? 1 : this.#sequence + 1
    entry.pdu.writeUInt32BE(this.#sequence, 12)
    entry.since = this.#options.clock.now()
    this.#open.set(this.#sequence, entry)
    this.#watch()
    this.#options.write(entry.pdu)
  }

  #forget(sequence: number, entry: Entry): void {
    this.#open.delete(sequence)
    if (!isMessage(entry)) return
    this.#messagesOpen -= 1
    if (this.#messagesOpen === 0) for (const resolve of this.#idle.splice(0)) resolve()
  }

  /** One timer for all: it looks at the oldest. */
  #watch(): void {
    this.#cancelLate ??= this.#options.clock.after(this.#options.responseTimeoutMs, () => this.#poll())
  }

  #poll(): void {
    this.#cancelLate = undefined
    const { clock, responseTimeoutMs } = this.#options
    const due = clock.now() - responseTimeoutMs
    let late = false
    for (const [sequence, entry] of this.#open) {
      if (entry.since > due) break
      late = true
      this.#forget(sequence, entry)
      entry.reject(new SmppUnanswered(`${entry.command} was not answered within ${responseTimeoutMs} ms`))
    }
    while (this.#queue[0] && this.#queue[0].since <= due) this.#queue.shift()!.reject(new SmppNotSent('It waited too long for its turn'))
    const oldest = Math.min(this.#open.values().next().value?.since ?? Infinity, this.#queue[0]?.since ?? Infinity)
    if (oldest < Infinity) this.#cancelLate = clock.after(oldest - due, () => this.#poll())
    this.#pump()
    // Last: this may send enquire_link, which needs the timer that was set above.
    if (late) this.#options.late()
  }
}

/** A timer that was a little late does not lower the rate; after a rest there is nothing to catch up with. */
const slotAfter = (slot: number, now: number, gap: number): number => (now - slot < gap ? slot : now) + gap

const isMessage = ({ command }: Entry): boolean => command.endsWith('_sm')
