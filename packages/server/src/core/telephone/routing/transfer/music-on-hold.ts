import type { Call } from '#core/telephone/call/call.ts'
import type { Party } from '#core/telephone/call/state/party.ts'
import type { Playback } from '#core/kernel/ports/telephony.ts'

/** What remains to be done with a phone, when it is the call's turn. */
export type Rest = () => Promise<void>

/** Takes a party off hold. A phone that does not agree stays on hold, and is shown so. */
export const resumeCall = async (party: Party): Promise<void> => {
  if (!party.held) return
  const agreed = await party.leg.hold(false).then(
    () => true,
    () => false,
  )
  if (agreed) party.held = false
}

/** A party that hears music instead of the others for a while. */
export class MusicOnHold {
  readonly #call: Call
  readonly #party: Party
  #music: Playback | undefined
  #stepped: Promise<void> | undefined

  constructor(call: Call, party: Party) {
    this.#call = call
    this.#party = party
  }

  /** Its phone is not told: it will soon be gone. */
  listen(): void {
    if (this.#stepped) return
    this.#call.isolate(this.#party.leg)
    if (!this.#party.held) this.#play()
    this.#party.hearsMusic = true
    this.#stepped = Promise.resolve()
  }

  /** Put on hold; resolves when its phone agreed, or did not and hears the music all the same. */
  hold(): Promise<void> {
    return (this.#stepped ??= this.#hold())
  }

  /** Is with the others again, if it ever was away. A party that cannot be is hung up with the call. */
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
