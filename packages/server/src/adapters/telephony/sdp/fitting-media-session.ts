import type { SavedMedia, Agreed, Answered, OfferOptions, MediaSession } from './media-session.ts'

/** The far end decides: uses the first session that fits its first offer. Without an offer, the first one. */
export class FittingMediaSession implements MediaSession {
  readonly broken: Promise<void>
  readonly #ways: readonly [MediaSession, ...MediaSession[]]
  #chosen: MediaSession
  #settled = false

  constructor(...ways: [MediaSession, ...MediaSession[]]) {
    this.#ways = ways
    this.#chosen = ways[0]
    this.broken = Promise.race(ways.map(({ broken }) => broken ?? new Promise<void>(() => {})))
  }

  /** That of the session for the last offer. */
  get boundAddress(): string | undefined {
    return this.#chosen.boundAddress
  }

  get holding(): boolean {
    return this.#chosen.holding
  }

  set holding(value: boolean) {
    for (const way of this.#ways) way.holding = value
  }

  likes(offer: string): boolean {
    const fitting = this.#fitting(offer)
    this.#chosen = fitting ?? this.#chosen
    return fitting !== undefined
  }

  offer(port: number, options?: OfferOptions): string | Promise<string> {
    return this.#settle(this.#chosen).offer(port, options)
  }

  answer(offer: string, port: number, from: string | undefined): Answered | undefined | Promise<Answered | undefined> {
    const fitting = this.#fitting(offer)
    return fitting && this.#settle(fitting).answer(offer, port, from)
  }

  confirm(answer: string, from: string | undefined): Agreed | undefined {
    return this.#chosen.confirm(answer, from)
  }

  saved(): SavedMedia | undefined {
    return this.#chosen.saved?.()
  }

  close(): void {
    for (const way of this.#ways) way.close?.()
  }

  #fitting(offer: string): MediaSession | undefined {
    const possible = this.#settled ? [this.#chosen] : this.#ways
    return possible.find((way) => way.likes(offer))
  }

  #settle(way: MediaSession): MediaSession {
    this.#settled = true
    this.#chosen = way
    return way
  }
}
