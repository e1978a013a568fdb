import { useSyncExternalStore } from 'react'
import { kept } from '../kept.ts'
import { whenPersonChanges } from '../session.ts'
import type { MicrophoneProblem, Party, PhoneCall } from './calls.ts'

/** `off`: no connection is wanted. `away`: it is wanted but lost. */
export type LineState = 'off' | 'connecting' | 'ready' | 'away'

/** State of this page's telephone. */
interface PhoneView {
  state: LineState
  calls: readonly PhoneCall[]
  /** Why the last command failed. */
  failure?: unknown
  microphoneProblem?: MicrophoneProblem | undefined
  /** A pending call with another device; the person still has to choose one. */
  asked?: { way: OtherWay; party: Party } | undefined
}

/** With a desk phone, or by an assistant. */
export type OtherWay = 'desk' | 'assistant'

/** Commands of this page's telephone. */
export interface Telephone {
  /** Rings here permanently, or only during a call. */
  ring(isOn: boolean): void
  dial(number: string, who?: Omit<Party, 'number'>): Promise<void>
  /** Answers a ringing call, or the one with this id as soon as it rings: the person came from a notification. */
  accept(callId: string): Promise<void>
  decline(callId: string): void
  hangUp(callId: string): void
  hold(callId: string, held: boolean): void
  mute(callId: string, muted: boolean): void
  press(callId: string, digits: string): void
  record(callId: string, value: boolean): void
  /** Blind transfer. */
  transfer(callId: string, number: string): void
  /** Connects the other parties of two calls; this page leaves. */
  join(callId: string, otherId: string): void
  /** The person has read the message in the bar. */
  dismiss(callId: string): void
  /** Another microphone or loudspeaker was chosen: running calls switch immediately. */
  takeDevices(): Promise<void>
  /** Round-trip milliseconds of a sound, if it is echoed; undefined otherwise. */
  measureEcho(callId: string): Promise<number | undefined>
  /** Hangs up and stops ringing. */
  close(): void
}

export interface PhoneDeps {
  view: () => PhoneView
  change: (part: Partial<PhoneView>) => void
}

type MakePhone = (deps: PhoneDeps) => Telephone

/** Access to the telephone for every page: small enough to load initially. */
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

  /** Loads the telephone, at first use. */
  provide(load: () => Promise<MakePhone>): void {
    this.#load = load
  }

  /** The telephone itself; always the same instance. */
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

  /** Errors are shown in the bar. */
  wish(doIt: (phone: Telephone) => unknown): void {
    this.phone()
      .then(doIt)
      .catch((failure: unknown) => this.change({ failure }))
  }

  /** The person has logged out: ends their calls. */
  leave(): void {
    void this.#phone?.then((phone) => phone.close())
  }
}

export const phoneLine = new PhoneLine()

whenPersonChanges(() => phoneLine.leave())

export const usePhone = (): PhoneView => useSyncExternalStore(phoneLine.subscribe, () => phoneLine.view)

/** Whether calls ring in this browser: only if enabled here. */
export const ringsHere = (): boolean => kept('phone.rings') === 'yes'
