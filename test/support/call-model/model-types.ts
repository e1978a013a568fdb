/** Reaction of a phone to an incoming call. */
export type PhoneBehaviour = 'answers' | 'rings' | 'busy'

/** API commands on a call. */
export type Command =
  | { do: 'hold' | 'mute'; value: boolean }
  | { do: 'record'; value: boolean; announcement: boolean }
  | { do: 'dtmf'; sequence: string }
  | { do: 'announce' }
  | { do: 'transfer'; to: string; attended: boolean; behaviour: PhoneBehaviour }
  | { do: 'hangUp' }

/** Actions of a telephone. */
export type PhoneAction = 'hold' | 'takeBack' | 'hangUp' | 'pickUp' | 'refuse'

/** Possible party. */
export interface ModelPerson {
  readonly name: string
  /** Undefined: external, so the caller's account pays. */
  readonly account: string | undefined
  readonly number: string
}

export interface ModelParty extends ModelPerson {
  readonly payer: string | undefined
  muted: boolean
  /** Held by the service. */
  held: boolean
  /** The phone itself holds the call. */
  holds: boolean
}

/** A new party is to replace `owner`. */
export interface ModelTransfer {
  readonly attended: boolean
  readonly account: string
  readonly owner: ModelParty
  readonly waiting: ModelParty
  readonly target: ModelParty
  /** The target has not answered yet. */
  ringing: boolean
}

/** Sound at a party: other parties, and signals. */
export interface Heard {
  voices: string[]
  rest: 'nothing' | 'music' | 'ringing'
}

export interface ModelStatus {
  muted: boolean
  recording: boolean
  hold: boolean
  participants: { phoneNumber: string; muted: boolean; hold: boolean; owner: boolean }[]
}

/** API statuses. */
export const [done, notFound, notNow] = [204, 404, 409]

/** True if the others can hear this party. */
export const speaks = ({ muted, held, holds }: ModelParty): boolean => !muted && !held && !holds

/** Without unpredictable names, in a fixed order. */
export const plainStatus = ({ muted, recording, hold, participants }: ModelStatus): ModelStatus => ({
  muted,
  recording,
  hold,
  participants: participants
    .map(({ phoneNumber, ...party }) => ({ phoneNumber, muted: party.muted, hold: party.hold, owner: party.owner }))
    .toSorted((a, b) => a.phoneNumber.localeCompare(b.phoneNumber)),
})
