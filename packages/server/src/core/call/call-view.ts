import { Problem } from '@offhook/contract/problem.ts'
import type { Call } from './call.ts'
import type { CallStatus, Participant, RunningCall } from './calls.ts'
import type { Party } from './party.ts'

/** A phone that does not answer any more need not be waited for. */
const longestFarewellMs = 5_000

/** A call as one of the accounts in it sees and controls it. */
export class CallView implements RunningCall {
  readonly callId: string
  readonly accountId: string
  readonly #call: Call

  constructor(call: Call, accountId: string) {
    this.callId = call.id
    this.accountId = accountId
    this.#call = call
  }

  get userIds(): string[] {
    const users = this.#own().flatMap(({ desk }) => desk?.userId ?? [])
    const concerned = this.#call.story.sides.find(({ accountId }) => accountId === this.accountId)?.userId
    return concerned === undefined ? users : [...users, concerned]
  }

  /** Whoever speaks on a voicemail has nobody to talk to: that is no call in this sense. */
  get established(): boolean {
    const { state, takenBy } = this.#call
    return (state === 'active' || state === 'transferring') && takenBy !== 'voicemail'
  }

  status(): CallStatus {
    const { parties, recordings } = this.#call
    return {
      callId: this.callId,
      muted: this.#own().length > 0 && this.#own().every(({ muted }) => muted),
      recording: recordings.isRunning(this.accountId),
      hold: this.#held(),
      participants: parties.map((party) => this.#participant(party)),
    }
  }

  /** Everybody hears music until the call is taken up again. */
  hold(value: boolean): Promise<void> {
    return this.#command(async () => {
      const waiting = this.#call.parties.filter(({ held }) => held !== value)
      await Promise.all(waiting.map((party) => putOnHold(party, value)))
    })
  }

  /** The microphones of the account's own phones. */
  mute(value: boolean): Promise<void> {
    return this.#command(async () => {
      for (const party of this.#own()) {
        party.leg.mute(value)
        party.muted = value
      }
    })
  }

  record(value: boolean, options: { announcement: boolean }): Promise<void> {
    const { recordings } = this.#call
    return this.#command(() => (value ? recordings.start(this.accountId, options) : recordings.stop(this.accountId)))
  }

  /** For the ones the account talks to; when all are its own, for all. */
  sendDtmf(sequence: string): Promise<void> {
    return this.#command(async () => {
      const { parties } = this.#call
      const strangers = parties.filter((party) => !this.#owns(party))
      await Promise.all((strangers.length > 0 ? strangers : parties).map(({ leg }) => leg.sendDtmf(sequence)))
    })
  }

  async transfer(): Promise<void> {
    throw new Problem('not_implemented', 'Calls cannot be transferred over this interface yet; phones can do it.')
  }

  async announce(): Promise<void> {
    throw new Problem('not_implemented', 'Announcements cannot be played yet.')
  }

  async hangUp(): Promise<void> {
    if (this.established) this.#demandPart()
    const { clock } = this.#call.parts
    const { promise: late, resolve } = Promise.withResolvers<void>()
    this.#call.finish({ by: 'api', reason: 'api_hangup', cause: 'normal' })
    const cancelTimer = clock.after(longestFarewellMs, resolve)
    await Promise.race([this.#call.closed, late]).finally(cancelTimer)
  }

  #command(work: () => Promise<void>): Promise<void> {
    return this.#call.inTurn(async () => {
      if (this.#call.state !== 'active') throw new Problem('call_not_in_state')
      this.#demandPart()
      await work()
    })
  }

  /** The account may have left the call after somebody of it found the call. */
  #demandPart(): void {
    if (!this.#call.involves(this.accountId)) throw new Problem('call_not_found')
  }

  #owns({ desk }: Party): boolean {
    return desk?.accountId === this.accountId
  }

  #own(): Party[] {
    return this.#call.parties.filter((party) => this.#owns(party))
  }

  #held(): boolean {
    return this.#call.parties.every(({ held }) => held)
  }

  #participant(party: Party): Participant {
    const { id, identity, muted, held } = party
    const owner = this.#owns(party)
    const phoneNumber = identity.withheld && !owner ? '' : (identity.number ?? '')
    return { participantId: id, phoneNumber, muted, hold: held, owner }
  }
}

const putOnHold = async (party: Party, value: boolean): Promise<void> => {
  try {
    await party.leg.hold(value)
  } catch {
    throw new Problem('conflict', 'A phone in this call did not agree.')
  }
  party.held = value
}
