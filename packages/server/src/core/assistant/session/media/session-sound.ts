import type { EndpointPiece } from '#core/kernel/ports/assistant/endpoint.ts'
import type { Conversation } from '../conversation/conversation.ts'
import type { SessionEndpoint } from '../endpoint/session-endpoint.ts'
import type { SessionTimeouts } from '../session-timeouts.ts'

export interface SessionSoundDeps {
  conversation: Pick<Conversation, 'sound'>
  endpoint: Pick<SessionEndpoint, 'latest' | 'answered' | 'note' | 'hear'>
  timeouts: Pick<SessionTimeouts, 'speaks'>
  performer: { soundBegins(): void; readonly ends: unknown }
  /** What the caller says is meant for the assistant, and the assistant can respond. */
  isAttentive: () => boolean
  /** The caller is on hold, and hears that. */
  isHeld: () => boolean
  /** The endpoint has answered the turn. */
  answered: () => void
}

/** Sound between the caller and the endpoint, as long as both have to do with each other. */
export class SessionSound {
  readonly #deps: SessionSoundDeps
  /** What did not fit was told; not again before something fits. */
  #refused = false

  constructor(deps: SessionSoundDeps) {
    this.#deps = deps
  }

  /** How much of the endpoint's the caller has heard; undefined: there is none in this flow. */
  get playedMs(): number | undefined {
    return this.#deps.conversation.sound?.playedMs
  }

  /** The caller's. */
  heard(samples: Int16Array<ArrayBuffer>): void {
    const { endpoint, isAttentive, isHeld } = this.#deps
    if (isAttentive() && !isHeld()) endpoint.hear(samples)
  }

  /** The endpoint's. After a hang-up that waits for what was said nothing more is. */
  comes(piece: EndpointPiece): void {
    const { conversation, endpoint, performer, timeouts, isAttentive } = this.#deps
    if (!conversation.sound || !isAttentive() || performer.ends !== undefined) return
    const put = conversation.sound.put(piece, endpoint.latest)
    if (put === 'full' && !this.#refused)
      endpoint.note(undefined, { index: -1, message: 'sound: at most 30 s may wait to be heard; the rest was refused' })
    this.#refused = put === 'full'
    if (put !== 'begun') return
    timeouts.speaks(undefined)
    performer.soundBegins()
    this.#deps.answered()
    endpoint.answered()
  }
}
