/** What a phone does when it is called. */
export type PhoneBehaviour = 'answers' | 'rings' | 'busy'

/** What can be asked of a call over the interface. */
export type Command =
  | { do: 'hold' | 'mute'; value: boolean }
  | { do: 'record'; value: boolean; announcement: boolean }
  | { do: 'dtmf'; sequence: string }
  | { do: 'announce' }
  | { do: 'transfer'; to: string; attended: boolean; behaviour: PhoneBehaviour }
  | { do: 'hangUp' }

/** What a telephone does by itself. */
export type PhoneAction = 'hold' | 'takeBack' | 'hangUp' | 'pickUp' | 'refuse'

/** A possible party. */
export interface ModelPerson {
  readonly name: string
  /** Undefined: outside, so the caller's account pays. */
  readonly account: string | undefined
  readonly number: string
}

export interface ModelParty extends ModelPerson {
  readonly payer: string | undefined
  muted: boolean
  /** By the service. */
  held: boolean
  /** The phone itself holds the call. */
  holds: boolean
}

/** A new party is to take the place of `owner`. */
export interface ModelTransfer {
  readonly attended: boolean
  readonly account: string
  readonly owner: ModelParty
  readonly waiting: ModelParty
  readonly target: ModelParty
  /** The target has not answered yet. */
  ringing: boolean
}

/** What a party hears: whom, and what else. */
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

/** The statuses of the interface. */
export const [done, notFound, notNow] = [204, 404, 409]

/** Whether the others could hear this one. */
export const speaks = ({ muted, held, holds }: ModelParty): boolean => !muted && !held && !holds

/** Without names that cannot be known before, in one order. */
export const plainStatus = ({ muted, recording, hold, participants }: ModelStatus): ModelStatus => ({
  muted,
  recording,
  hold,
  participants: participants
    .map(({ phoneNumber, ...party }) => ({ phoneNumber, muted: party.muted, hold: party.hold, owner: party.owner }))
    .toSorted((a, b) => a.phoneNumber.localeCompare(b.phoneNumber)),
})
