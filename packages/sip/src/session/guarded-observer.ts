import type { Request, Response } from '../message/message.ts'
import type { OfferReply, SessionObserver } from './session.ts'

/** The observer of a session. What it throws is reported and never becomes the far end's trouble. */
export class GuardedObserver {
  readonly #fault: (error: unknown) => void
  #observer: SessionObserver = {}

  constructor(fault: (error: unknown) => void) {
    this.#fault = fault
  }

  /** This observer takes the place of the one before. */
  become(observer: SessionObserver): void {
    this.#observer = observer
  }

  /** Nobody is told any more: what is left of the session for late messages does not keep the whole call. */
  leave(): void {
    this.#observer = {}
  }

  notify<T>(run: (observer: SessionObserver) => T): T | undefined {
    try {
      return run(this.#observer)
    } catch (error) {
      this.#fault(error)
      return undefined
    }
  }

  /** The answer to the far end's offer, or an offer of ours if it made none. */
  async askFor(sdp: string | undefined, message: Request | Response): Promise<OfferReply> {
    try {
      return (await this.#observer.offered?.(sdp, message)) ?? { status: 488 }
    } catch (error) {
      this.#fault(error)
      return { status: 500 }
    }
  }
}
