import { randomUUID } from 'node:crypto'
import { Problem } from '@offhook/contract/problem.ts'
import type { BrowserFarEnd } from '#core/kernel/ports/browser/browser-legs.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { PeerNodes } from '#core/kernel/ports/neighbours.ts'

export interface SoundTicketsDeps {
  clock: Clock
  neighbours: Pick<PeerNodes, 'self' | 'others'>
}

/** Where the sound of a call is to go: here, or to the process at this address. */
export type SoundPlace = { farEnd: BrowserFarEnd } | { at: string }

const validMs = 30_000
/** The process that has the call, and what nobody guesses. */
const form = /^([\w-]{1,100})\.[\w-]{36}$/

/** Tickets for connections that carry the sound of one call, for pages to which WebRTC finds no way. */
export class SoundTickets {
  readonly #deps: SoundTicketsDeps
  readonly #valid = new Map<string, { farEnd: BrowserFarEnd; cancel: () => void }>()

  constructor(deps: SoundTicketsDeps) {
    this.#deps = deps
  }

  make(farEnd: BrowserFarEnd): string {
    const ticket = `${this.#deps.neighbours.self}.${randomUUID()}`
    const cancel = this.#deps.clock.after(validMs, () => this.#valid.delete(ticket))
    this.#valid.set(ticket, { farEnd, cancel })
    void farEnd.leg.ended.then(() => this.#spend(ticket))
    return ticket
  }

  /** It is worth nothing afterwards. Throws a Problem when it is none, or none any more. */
  redeem(ticket: string): SoundPlace {
    const farEnd = this.#spend(ticket)
    if (farEnd) return { farEnd }
    const [, at] = form.exec(ticket) ?? []
    const there = this.#deps.neighbours.others().find(({ owner }) => owner === at)
    if (!there) throw new Problem('phone_ticket_invalid')
    return { at: there.http }
  }

  close(): void {
    for (const ticket of this.#valid.keys()) this.#spend(ticket)
  }

  #spend(ticket: string): BrowserFarEnd | undefined {
    const { farEnd, cancel } = this.#valid.get(ticket) ?? {}
    cancel?.()
    this.#valid.delete(ticket)
    return farEnd
  }
}
