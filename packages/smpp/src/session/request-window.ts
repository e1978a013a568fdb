import type { ResponsePdu } from '../pdu/pdu.ts'
import type { SmppClock } from './session-options.ts'
import { SmppNotSent, SmppRefused, SmppUnanswered } from '../pdu/smpp-error.ts'
import { isThrottled, status } from '../pdu/status.ts'

interface Entry {
  command: string
  pdu: Buffer
  /** Milliseconds timestamp of the write, or before that of the enqueueing. */
  since: number
  resolve: (response: ResponsePdu) => void
  reject: (error: Error) => void
}

interface WindowOptions {
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
 * Our requests on one connection: a window of unanswered ones, the others are queued. Pauses after a throttling status. Every request has a
 * time limit, both in the queue and for its response.
 */
export class RequestWindow {
  readonly #options: WindowOptions
  /** By sequence number, in order of writing, so the first one is the first to be late. */
  readonly #open = new Map<number, Entry>()
  #messagesOpen = 0
  #queue: Entry[] = []
  #sequence = 0
  #held = false
  /** Earliest time of the next request: by the agreed rate, and after throttling. */
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

  /** Queues a message. Its sequence number is filled in when it is sent. */
  request(command: string, pdu: Buffer): Promise<ResponsePdu> {
    return new Promise((resolve, reject) => {
      if (this.#closed !== undefined) return reject(new SmppNotSent(this.#closed))
      if (this.#queue.length >= this.#options.waiting) return reject(new SmppNotSent('Too many messages wait already'))
      this.#queue.push({ command, pdu, since: this.#options.clock.now(), resolve, reject })
      this.#watch()
      this.#pump()
    })
  }

  /** Requests about the connection itself skip the queue. */
  urgent(command: string, pdu: Buffer): Promise<ResponsePdu> {
    return new Promise((resolve, reject) => {
      if (this.#closed !== undefined) return reject(new SmppNotSent(this.#closed))
      this.#write({ command, pdu, since: 0, resolve, reject })
    })
  }

  /** Matches by sequence number; ignores a response without a request, or a late one. */
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

  /** The far end does not read: writes no more until `release`. */
  hold(): void {
    this.#held = true
  }

  release(): void {
    this.#held = false
    this.#pump()
  }

  /** Rejects queued requests; resolves when all written ones have their response. */
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

  /** Longer each time without a success in between; the responses of one window count once. */
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

  /** One timer for all: it checks the oldest. */
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
    // Last: this may send enquire_link, which needs the timer set above.
    if (late) this.#options.late()
  }
}

/** A slightly late timer does not lower the rate; an idle period is not caught up. */
const slotAfter = (slot: number, now: number, gap: number): number => (now - slot < gap ? slot : now) + gap

const isMessage = ({ command }: Entry): boolean => command.endsWith('_sm')

interface LinkWatchOptions {
  clock: SmppClock
  enquireMs: number
  /** Sends enquire_link; resolves with false without a response. */
  enquire: () => Promise<boolean>
  dead: () => void
}

/** Sends enquire_link to a far end that was silent for too long. */
export class LinkWatch {
  readonly #options: LinkWatchOptions
  #heardAt = 0
  #watching = false
  #enquiring = false
  #cancel: (() => void) | undefined

  constructor(options: LinkWatchOptions) {
    this.#options = options
  }

  start(): void {
    this.#watching = true
    this.heard()
    this.#wait(this.#options.enquireMs)
  }

  stop(): void {
    this.#watching = false
    this.#cancel?.()
  }

  heard(): void {
    this.#heardAt = this.#options.clock.now()
  }

  /** A response is late: checks the link immediately. */
  async check(): Promise<void> {
    if (!this.#watching || this.#enquiring) return
    this.#enquiring = true
    const alive = await this.#options.enquire()
    this.#enquiring = false
    if (!alive) return this.#options.dead()
    this.#wait(this.#options.enquireMs)
  }

  #wait(ms: number): void {
    this.#cancel?.()
    if (this.#watching) this.#cancel = this.#options.clock.after(ms, () => this.#poll())
  }

  #poll(): void {
    const silentMs = this.#options.clock.now() - this.#heardAt
    if (silentMs >= this.#options.enquireMs) void this.check()
    else this.#wait(this.#options.enquireMs - silentMs)
  }
}
