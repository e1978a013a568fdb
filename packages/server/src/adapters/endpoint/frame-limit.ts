import type { Clock } from '#core/kernel/ports/clock.ts'
import type { OutboundSocket } from '#core/kernel/ports/outbound-sockets.ts'

/** In one second: enough for text that streams in word by word, and for sounds. */
const most = { frames: 500, bytes: 8 * 1024 * 1024 }
const windowMs = 1_000

/** An endpoint that sends more than this is slowed down: reading pauses, and TCP holds it back. */
export class FrameLimit {
  readonly #clock: Clock
  #since = 0
  #frames = 0
  #bytes = 0
  #cancel: (() => void) | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  count(socket: OutboundSocket, bytes: number): void {
    const now = this.#clock.elapsed()
    if (now - this.#since >= windowMs) this.#begin(now)
    this.#frames++
    this.#bytes += bytes
    if (this.#cancel || (this.#frames < most.frames && this.#bytes < most.bytes)) return
    socket.pause()
    this.#cancel = this.#clock.after(this.#since + windowMs - now, () => {
      this.#cancel = undefined
      socket.resume()
    })
  }

  close(): void {
    this.#cancel?.()
    this.#cancel = undefined
  }

  #begin(now: number): void {
    this.#since = now
    this.#frames = 0
    this.#bytes = 0
  }
}
