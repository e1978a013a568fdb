import { useSyncExternalStore } from 'react'
import { kept } from '../kept.ts'
import { whenPersonChanges } from '../session.ts'
import type { MicrophoneProblem, Party, PhoneCall } from './calls.ts'

/** `off`: no connection is wanted. `away`: it is wanted and not there. */
export type LineState = 'off' | 'connecting' | 'ready' | 'away'

/** What is known of this page's telephone. */
export interface PhoneView {
  state: LineState
  calls: readonly PhoneCall[]
  /** Why the last wish came to nothing. */
  failure?: unknown
  microphoneProblem?: MicrophoneProblem | undefined
  /** Somebody is to be called in another way than from this page; the person still has to say with what. */
  asked?: { way: OtherWay; party: Party } | undefined
}

/** With a phone on the desk, or by an assistant. */
export type OtherWay = 'desk' | 'assistant'

/** What the telephone of this page can do. */
export interface Telephone {
  /** Rings here from now on, or only as long as a call lasts. */
  ring(isOn: boolean): void
  dial(number: string, who?: Omit<Party, 'number'>): Promise<void>
  /** Answers a call that rings, or the one with this id as soon as it does: the person came from a notification. */
  accept(callId: string): Promise<void>
  decline(callId: string): void
  hangUp(callId: string): void
  hold(callId: string, held: boolean): void
  mute(callId: string, muted: boolean): void
  press(callId: string, digits: string): void
  record(callId: string, value: boolean): void
  /** At once, whoever is there. */
  transfer(callId: string, number: string): void
  /** The other sides of two calls talk with each other, and this page is out. */
  join(callId: string, otherId: string): void
  /** The person has read what the bar said. */
  dismiss(callId: string): void
  /** Another microphone or loudspeaker was chosen: running calls use it at once. */
  takeDevices(): Promise<void>
  /** Milliseconds that a sound takes to the other side and back, where it comes back; undefined where it does not. */
  measureEcho(callId: string): Promise<number | undefined>
  /** Hangs up and rings no more. */
  close(): void
}

export interface PhoneDeps {
  view: () => PhoneView
  change: (part: Partial<PhoneView>) => void
}

type MakePhone = (deps: PhoneDeps) => Telephone

/** The way of every page to the telephone: small enough to be there from the beginning. */
class PhoneLine {
  #view: PhoneView = { state: 'off', calls: [] }
  #phone: Promise<Telephone> | undefined
  #load: () => Promise<MakePhone> = () => Promise.reject(new Error('this page has no telephone'))
  readonly #listeners = new Set<() => void>()

  get view(): PhoneView {
    return this.#view
  }

  readonly subscribe = (notify: () => void): (() => void) => {
    this.#listeners.add(notify)
    return () => this.#listeners.delete(notify)
  }

  readonly change = (part: Partial<PhoneView>): void => {
    this.#view = { ...this.#view, ...part }
    for (const notify of this.#listeners) notify()
  }

  /** How the telephone is fetched, which happens when it is first wanted. */
  provide(load: () => Promise<MakePhone>): void {
    this.#load = load
  }

  /** The telephone itself; always the same one. */
  phone(): Promise<Telephone> {
    this.#phone ??= this.#load().then(
      (make) => make({ view: () => this.#view, change: this.change }),
      (error: unknown) => {
        this.#phone = undefined
        throw error
      },
    )
    return this.#phone
  }

  /** Calls from this page. */
  call(number: string, who: Omit<Party, 'number'> = {}): void {
    this.wish((phone) => phone.dial(number, who))
  }

  /** Asks for the rest in a dialog. */
  ask(way: OtherWay, party: Party): void {
    this.change({ asked: { way, party } })
  }

  /** Whatever goes wrong with it is said in the bar. */
  wish(doIt: (phone: Telephone) => unknown): void {
    this.phone()
      .then(doIt)
      .catch((failure: unknown) => this.change({ failure }))
  }

  /** The person has logged out: their calls are over. */
  leave(): void {
    void this.#phone?.then((phone) => phone.close())
  }
}

export const phoneLine = new PhoneLine()

whenPersonChanges(() => phoneLine.leave())

export const usePhone = (): PhoneView => useSyncExternalStore(phoneLine.subscribe, () => phoneLine.view)

/** Whether calls ring in this browser: only where somebody wanted it. */
export const ringsHere = (): boolean => kept('phone.rings') === 'yes'
