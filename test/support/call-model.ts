/** What can be asked of a call over the interface. */
export type Command =
  | { do: 'hold' | 'mute'; value: boolean }
  | { do: 'record'; value: boolean; announcement: boolean }
  | { do: 'dtmf'; sequence: string }
  | { do: 'hangUp' }

/** What a telephone does by itself. */
export type Deed = 'hold' | 'takeBack' | 'hangUp'

export interface ModelParty {
  readonly name: string
  /** Undefined: outside. */
  readonly account: string | undefined
  readonly number: string
  muted: boolean
  /** By the service. */
  held: boolean
  /** The phone itself holds the call. */
  holds: boolean
}

/** What somebody in a call hears. */
export interface Heard {
  /** Names of those who are heard. */
  voices: string[]
  rest: 'nothing' | 'music'
}

export interface ModelStatus {
  muted: boolean
  recording: boolean
  hold: boolean
  participants: { phoneNumber: string; muted: boolean; hold: boolean; owner: boolean }[]
}

/** The statuses of the interface. */
export const [done, notFound, notNow] = [204, 404, 409]

/** What a call of two should be like after each command: so simple that one can see that it is right. */
export class CallModel {
  readonly parties: ModelParty[]
  /** Accounts that record. */
  readonly recording = new Set<string>()
  /** How many recordings each account has begun. */
  readonly recordings = new Map<string, number>()
  over = false

  constructor(parties: readonly Pick<ModelParty, 'name' | 'account' | 'number'>[]) {
    this.parties = parties.map((party) => ({ ...party, muted: false, held: false, holds: false }))
  }

  /** The accounts that see it. */
  get accounts(): string[] {
    return [...new Set(this.parties.flatMap(({ account }) => account ?? []))]
  }

  /** Gives the status that is to be answered. `stubborn`: whose phone does not agree to anything new. */
  obey(account: string, command: Command, stubborn?: string): number {
    if (this.over) return notFound
    switch (command.do) {
      case 'hold':
        return this.#hold(command.value, stubborn)
      case 'mute':
        for (const party of this.#own(account)) party.muted = command.value
        return done
      case 'record':
        this.#record(account, command.value)
        return done
      case 'dtmf':
        return done
      case 'hangUp':
      default:
        this.over = true
        return done
    }
  }

  phone(name: string, deed: Deed): void {
    const party = this.parties.find((one) => one.name === name)
    if (deed === 'hangUp') this.over = true
    else if (party) party.holds = deed === 'hold'
  }

  hears(name: string): Heard {
    const others = this.parties.filter((other) => other.name !== name)
    const self = this.parties.find((one) => one.name === name)
    if (this.over || !self || self.holds) return { voices: [], rest: 'nothing' }
    if (self.held || others.some(({ holds }) => holds)) return { voices: [], rest: 'music' }
    return { voices: others.filter(speaks).map((other) => other.name), rest: 'nothing' }
  }

  /** Undefined when the account does not see the call. */
  status(account: string): ModelStatus | undefined {
    if (this.over || !this.accounts.includes(account)) return undefined
    const participants = this.parties.map((party) => ({
      phoneNumber: party.number,
      muted: party.muted,
      hold: party.held || this.parties.some((other) => other !== party && other.holds),
      owner: party.account === account,
    }))
    return {
      muted: this.#own(account).every(({ muted }) => muted),
      recording: this.recording.has(account),
      hold: this.parties.every(({ held }) => held),
      participants,
    }
  }

  #own(account: string): ModelParty[] {
    return this.parties.filter((party) => party.account === account)
  }

  #hold(value: boolean, stubborn: string | undefined): number {
    if (this.parties.some(({ name, held }) => name === stubborn && held !== value)) return notNow
    for (const party of this.parties) party.held = value
    return done
  }

  #record(account: string, value: boolean): void {
    if (value && !this.recording.has(account)) this.recordings.set(account, (this.recordings.get(account) ?? 0) + 1)
    if (value) this.recording.add(account)
    else this.recording.delete(account)
  }
}

/** Whether the others could hear this one. */
export const speaks = ({ muted, held, holds }: ModelParty): boolean => !muted && !held && !holds

/** Without names that nobody can know before, in one order. */
export const plainStatus = ({ muted, recording, hold, participants }: ModelStatus): ModelStatus => ({
  muted,
  recording,
  hold,
  participants: participants
    .map(({ phoneNumber, ...party }) => ({ phoneNumber, muted: party.muted, hold: party.hold, owner: party.owner }))
    .toSorted((a, b) => a.phoneNumber.localeCompare(b.phoneNumber)),
})
