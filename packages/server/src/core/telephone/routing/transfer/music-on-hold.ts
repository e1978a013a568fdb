import type { Call } from '#core/telephone/call/call.ts'
import type { Party } from '#core/telephone/call/state/party.ts'
import type { Playback } from '#core/kernel/ports/audio.ts'

/** Remaining work on a phone, run in the call's turn. */
export type Rest = () => Promise<void>

/** Takes a party off hold. A phone that rejects stays on hold and is shown so. */
export const resumeCall = async (party: Party): Promise<void> => {
  if (!party.held) return
  const agreed = await party.leg.hold(false).then(
    () => true,
    () => false,
  )
  if (agreed) party.held = false
}

/** Plays music to a party separated from the others. */
export class MusicOnHold {
  readonly #call: Call
  readonly #party: Party
  #music: Playback | undefined
  #stepped: Promise<void> | undefined

  constructor(call: Call, party: Party) {
    this.#call = call
    this.#party = party
  }

  /** Without signalling: the phone will leave shortly. */
  listen(): void {
    if (this.#stepped) return
    this.#call.isolate(this.#party.leg)
    if (!this.#party.held) this.#play()
    this.#party.hearsMusic = true
    this.#stepped = Promise.resolve()
  }

  /** Holds the party; resolves when its phone agrees, or rejects and hears the music anyway. */
  hold(): Promise<void> {
    return (this.#stepped ??= this.#hold())
  }

  /** Returns the party to the bridge if it was separated. A failure ends the call. */
  back(): Rest {
    const stepped = this.#stepped
    this.#stepped = undefined
    if (!stepped) return () => Promise.resolve()
    this.#party.hearsMusic = false
    this.#music?.stop()
    this.#call.must(() => this.#call.bridge.add(this.#party.leg))
    return async () => {
      await stepped
      this.#music?.stop()
      await resumeCall(this.#party)
    }
  }

  async #hold(): Promise<void> {
    const { leg, held } = this.#party
    this.#call.isolate(leg)
    if (held) return
    this.#party.held = true
    await leg.hold(true).catch(() => this.#play())
  }

  #play(): void {
    this.#music = this.#party.leg.audio.play({ music: 'hold' }, { loop: true })
  }
}
