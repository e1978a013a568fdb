import type { SipCall } from './sip-call.ts'
import type { SipEnd } from './sip-end.ts'
import type { Voice } from './voice.ts'

/** Reaction to an incoming call. */
export type PhoneBehaviour = 'answers' | 'rings' | 'busy'

interface Directions {
  sends: boolean
  hears: boolean
}

const names = { sendrecv: [true, true], sendonly: [true, false], recvonly: [false, true], inactive: [false, false] } as const

const directionsIn = (sdp: string): Directions => {
  const name = /^a=(sendrecv|sendonly|recvonly|inactive)\r?$/m.exec(sdp)?.[1] ?? 'sendrecv'
  const [sends, hears] = names[name as keyof typeof names]
  return { sends, hears }
}

const nameOf = ({ sends, hears }: Directions): string =>
  Object.entries(names).find(([, [s, h]]) => s === sends && h === hears)?.[0] ?? 'inactive'

/** Telephone with a unique tone that follows the test's commands and otherwise behaves like a telephone. */
export class Phone {
  readonly name: string
  readonly number: string
  readonly voice: Voice
  behaviour: PhoneBehaviour = 'answers'
  /** Keeps sending while held or holding. */
  rude = false
  /** Rejects re-INVITEs. */
  stubborn = false
  readonly #end: SipEnd
  readonly #as: string | undefined
  #call: SipCall | undefined
  #holding = false
  #theirs: Directions = { sends: true, hears: true }
  #version = 0

  constructor(end: SipEnd, { name, number, voice, as }: { name: string; number: string; voice: Voice; as?: string }) {
    this.#end = end
    this.name = name
    this.number = number
    this.voice = voice
    this.#as = as
    voice.speaks = () => this.talking && (this.rude || (!this.#holding && this.#theirs.hears))
  }

  get talking(): boolean {
    return this.#call?.talking ?? false
  }

  /** Ringing or talking. */
  get engaged(): boolean {
    return this.#call !== undefined && !this.#call.over
  }

  dial(number: string): void {
    this.#begin(this.#end.call(number, this.#sdp({ sends: true, hears: true }), this.#as))
  }

  ring(call: SipCall): void {
    if (this.behaviour === 'busy' || this.engaged) return call.refuse(486)
    this.#begin(call)
    this.#listenTo(call.offer)
    call.ring()
    if (this.behaviour === 'answers') this.pickUp()
  }

  pickUp(): void {
    this.#call?.accept(this.#answer(this.#call.offer))
  }

  refuse(status: number): void {
    this.#call?.refuse(status)
  }

  hangUp(): void {
    this.#call?.hangUp()
  }

  /** False if the service rejected the offer. */
  async hold(value: boolean): Promise<boolean> {
    const call = this.#call
    if (!call) return false
    this.#holding = value
    const answer = await call.reoffer(this.#sdp({ sends: true, hears: !value }))
    if (answer === undefined) this.#holding = !value
    else this.#listenTo(answer)
    return answer !== undefined
  }

  #begin(call: SipCall): void {
    this.#call = call
    this.#holding = false
    this.#theirs = { sends: true, hears: true }
    this.voice.keys = ''
    call.observer = {
      answered: (sdp) => this.#listenTo(sdp),
      offered: (sdp) => (this.stubborn ? 488 : this.#answer(sdp)),
      ended: () => {
        if (this.#call === call) this.voice.talkTo(undefined)
      },
    }
  }

  #listenTo(sdp: string): void {
    const port = Number(/^m=audio (\d+)/m.exec(sdp)?.[1])
    const address = /^c=IN IP4 (\S+)/m.exec(sdp)?.[1] ?? ''
    this.#theirs = directionsIn(sdp)
    this.voice.talkTo({ address, port })
  }

  #answer(offer: string): string {
    this.#listenTo(offer)
    return this.#sdp({ sends: this.#theirs.hears, hears: this.#theirs.sends && !this.#holding })
  }

  #sdp(directions: Directions): string {
    const [host] = this.#end.address.split(':')
    return [
      'v=0',
      `o=- 7 ${++this.#version} IN IP4 ${host}`,
      's=-',
      `c=IN IP4 ${host}`,
      't=0 0',
      `m=audio ${this.voice.port} RTP/AVP 8 101`,
      'a=rtpmap:8 PCMA/8000',
      'a=rtpmap:101 telephone-event/8000',
      `a=${nameOf(directions)}`,
      '',
    ].join('\r\n')
  }
}
