import { done, notFound, notNow, speaks } from './model-types.ts'
import type { Command, PhoneAction, ModelTransfer, Heard, PhoneBehaviour, ModelParty, ModelPerson, ModelStatus } from './model-types.ts'

/** Maximum transfers of a call. */
const maxTransfers = 3

/** Expected state of a call after each command; simple enough to be verified by reading. */
export class CallModel {
  /** Participants as the API shows them. */
  parties: ModelParty[]
  openTransfer: ModelTransfer | undefined
  transfers = 0
  over = false
  /** Party whose phone must ring because of the last command. */
  calling: { name: string; behaviour: PhoneBehaviour } | undefined
  /** Recording accounts. */
  readonly recording = new Set<string>()
  /** Number of recordings started by each account. */
  readonly recordings = new Map<string, number>()
  readonly #everybody: readonly ModelPerson[]

  constructor(everybody: readonly ModelPerson[], caller: string, callee: string) {
    this.#everybody = everybody
    const calling = this.#person(caller)
    this.parties = [newParty(calling, undefined), newParty(this.#person(callee), calling.account)]
  }

  /** Parties with an account, whose users can control the call. */
  get members(): ModelParty[] {
    return this.parties.filter(({ account }) => account !== undefined)
  }

  get absent(): ModelPerson[] {
    return this.#everybody.filter(({ name }) => !this.party(name) && this.openTransfer?.target.name !== name)
  }

  party(name: string): ModelParty | undefined {
    return this.parties.find((one) => one.name === name)
  }

  /** True if a party belongs to the account, or the account pays for a party. */
  involves(account: string | undefined): boolean {
    return !this.over && account !== undefined && this.parties.some((party) => party.account === account || party.payer === account)
  }

  /** Executes a user's command and returns the response status. `stubborn`: party whose phone rejects hold or resume. */
  execute(by: string, command: Command, stubborn?: string): number {
    const account = this.#person(by).account ?? ''
    this.calling = undefined
    if (this.over) return notFound
    if (command.do === 'hangUp') return this.#hangUp(account)
    if (this.openTransfer?.ringing) return notNow
    if (command.do === 'hold') return this.#hold(account, command.value, stubborn)
    if (command.do === 'transfer') return this.#transfer(by, account, command)
    if (command.do === 'dtmf' || command.do === 'announce') return this.parties.some(({ holds }) => !holds) ? done : notNow
    if (command.do === 'mute' && command.value && this.#own(account).length === 0) return notNow
    if (command.do === 'mute') for (const party of this.#own(account)) party.muted = command.value
    if (command.do === 'record') this.#record(account, command.value)
    return done
  }

  phone(name: string, phoneAction: PhoneAction): void {
    const party = this.party(name)
    if (phoneAction === 'pickUp') this.#answered()
    else if (phoneAction === 'refuse') this.#refused()
    else if (phoneAction === 'hangUp') this.#left(name)
    else if (party) party.holds = phoneAction === 'hold'
  }

  /** Undefined if the account does not see the call. */
  status(account: string | undefined): ModelStatus | undefined {
    if (!this.involves(account)) return undefined
    const own = this.#own(account)
    return {
      muted: own.length > 0 && own.every(({ muted }) => muted),
      recording: account !== undefined && this.recording.has(account),
      hold: this.parties.every(({ held }) => held),
      participants: this.parties.map((party) => ({
        phoneNumber: party.number,
        muted: party.muted,
        hold: this.#waits(party),
        owner: party.account === account,
      })),
    }
  }

  hears(name: string): Heard {
    const self = this.party(name)
    if (this.over || !self || self.holds) return { voices: [], rest: 'nothing' }
    if (this.#waits(self)) return { voices: [], rest: 'music' }
    if (this.openTransfer?.ringing) return { voices: [], rest: 'ringing' }
    const voices = this.#partnersOf(self).filter(speaks)
    return { voices: voices.map((other) => other.name), rest: 'nothing' }
  }

  /** Hears music, unless its own phone does not listen: held by the service or by its peer, or the peer is being transferred. */
  #waits(party: ModelParty): boolean {
    if (party.held) return true
    return this.openTransfer?.ringing ? !this.#awaits(party) : this.#partnersOf(party).some(({ holds }) => holds)
  }

  /** Hears ringback: the party that will talk with the callee. */
  #awaits(party: ModelParty): boolean {
    const { attended, owner, waiting } = this.openTransfer ?? {}
    return party === (attended && owner && this.parties.includes(owner) ? owner : waiting)
  }

  #partnersOf(party: ModelParty): ModelParty[] {
    const waiting = this.openTransfer?.waiting
    return party === waiting ? [] : this.parties.filter((other) => other !== party && other !== waiting)
  }

  #transfer(by: string, account: string, { to, attended, behaviour }: Command & { do: 'transfer' }): number {
    const { openTransfer } = this
    if (openTransfer && (openTransfer.account !== account || openTransfer.target.name !== to)) return notNow
    if (openTransfer) return attended ? done : this.#complete(openTransfer)
    const owner = this.party(by)
    const waiting = this.parties.find((party) => party !== owner)
    if (!owner || !waiting || this.transfers >= maxTransfers) return notNow
    this.calling = { name: to, behaviour }
    if (behaviour === 'busy') return notNow
    this.openTransfer = { attended, account, owner, waiting, target: newParty(this.#person(to), account), ringing: true }
    waiting.held = attended
    if (attended) owner.held = false
    if (behaviour === 'answers') this.#answered()
    return done
  }

  #answered(): void {
    const { openTransfer } = this
    if (!openTransfer) return
    openTransfer.ringing = false
    this.parties.push(openTransfer.target)
    if (!openTransfer.attended || !this.parties.includes(openTransfer.owner)) this.#complete(openTransfer)
  }

  /** The target did not answer: the two talk again, if there are two. */
  #refused(): void {
    const { openTransfer } = this
    this.openTransfer = undefined
    if (!openTransfer || !this.parties.includes(openTransfer.owner)) return void this.#end()
    for (const party of this.parties) party.held = false
  }

  #left(name: string): void {
    const { openTransfer } = this
    if (!this.party(name)) return
    if (!openTransfer) return void this.#end()
    const { owner, waiting, target, ringing } = openTransfer
    if (ringing && name === waiting.name) return void this.#end()
    if (ringing) return this.#ownerLeft(openTransfer)
    if (name === owner.name) return void this.#complete(openTransfer)
    this.openTransfer = undefined
    if (name === waiting.name) return this.#dismiss(waiting)
    this.#dismiss(target)
    for (const party of this.parties) party.held = false
  }

  /** The callee will talk with the other party, if at all. */
  #ownerLeft({ owner, waiting }: ModelTransfer): void {
    waiting.held = false
    this.#dismiss(owner)
  }

  #complete({ owner, waiting, target }: ModelTransfer): number {
    this.openTransfer = undefined
    this.transfers += 1
    for (const party of [waiting, target]) party.held = false
    this.#dismiss(owner)
    return done
  }

  #dismiss(party: ModelParty): void {
    this.parties = this.parties.filter((one) => one !== party)
    for (const account of this.recording) if (!this.involves(account)) this.recording.delete(account)
  }

  #hold(account: string, value: boolean, stubborn: string | undefined): number {
    const { openTransfer } = this
    if (openTransfer && openTransfer.account !== account) return notNow
    if (openTransfer && !value) this.#left(openTransfer.target.name)
    if (this.parties.some(({ name, held }) => name === stubborn && held !== value)) return notNow
    for (const party of this.parties) party.held = value
    return done
  }

  #record(account: string, value: boolean): void {
    if (value && !this.recording.has(account)) this.recordings.set(account, (this.recordings.get(account) ?? 0) + 1)
    if (value) this.recording.add(account)
    else this.recording.delete(account)
  }

  /** During a consultation all accounts except the requesting one end only their own part. */
  #hangUp(account: string): number {
    const [phone, ...others] = this.#own(account)
    const asked = this.openTransfer && !this.openTransfer.ringing && this.openTransfer.account !== account
    if (!asked || !phone || others.length > 0) return this.#end()
    this.#left(phone.name)
    return done
  }

  #end(): number {
    this.over = true
    return done
  }

  #own(account: string | undefined): ModelParty[] {
    return this.parties.filter((party) => party.account === account)
  }

  #person(name: string): ModelPerson {
    const found = this.#everybody.find((one) => one.name === name)
    if (!found) throw new Error(`nobody is called ${name}`)
    return found
  }
}

/** Internal calls are free. */
const newParty = (person: ModelPerson, calling: string | undefined): ModelParty => {
  const payer = person.account === undefined ? calling : undefined
  return { ...person, payer, muted: false, held: false, holds: false }
}
