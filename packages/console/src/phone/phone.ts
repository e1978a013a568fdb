import type { PageFrame, PhoneNews } from '@offhook/contract/v3/phone.ts'
import { after } from './after.ts'
import { CallMedia } from './call-media.ts'
import { dialable, dialled, heard, isOwn, isRunning, isWaiting, rung, signalOf, type Party, type PhoneCall } from '#api/phone/calls.ts'
import { ringsHere, type PhoneDeps, type Telephone } from '#api/phone/phone-line.ts'
import { PhoneSocket } from './phone-socket.ts'
import { Reconnection } from './reconnection.ts'
import { measureEcho } from './sound/echo.ts'
import { MicrophoneError } from './sound/microphone.ts'
import { Signals } from './sound/signals.ts'

/** Milliseconds that the bar shows the end of a call. */
const farewellMs = 6_000
const pollIntervalMs = 1_000
/** Every fifth sample is reported to the service. */
const tellEvery = 5

/** The telephone of this page: its connection, its calls and their audio. Independent of the UI. */
export class Phone implements Telephone {
  readonly #deps: PhoneDeps
  readonly #socket: PhoneSocket
  readonly #reconnection: Reconnection
  readonly #media = new Map<string, CallMedia>()
  readonly #early = new Set<string>()
  readonly #signals = new Signals()
  readonly #tab = new RingingTab()
  #wantedAnswer: string | undefined
  #looks = 0
  #timer: ReturnType<typeof setInterval> | undefined

  constructor(deps: PhoneDeps) {
    this.#deps = deps
    this.#reconnection = new Reconnection({
      calls: () => this.#calls,
      offerOf: (callId) => this.#media.get(callId)?.offered,
      send: (frame) => this.#socket.send(frame),
      lose: (calls) => this.#loseCalls(calls),
      after,
    })
    this.#socket = new PhoneSocket({
      onNews: (news) => this.#hear(news),
      onState: (state, failure) => {
        if (state === 'away') this.#reconnection.broke()
        if (state === 'off') this.#reconnection.ended()
        deps.change({ state, ...(failure !== undefined && { failure }) })
      },
    })
  }

  ring(isOn: boolean): void {
    if (isOn) {
      this.#tab.apply(() => this.#signal())
      this.#socket.open().catch(() => undefined)
    } else {
      this.#tab.withdraw()
      this.#rest()
    }
  }

  async dial(number: string, who: Omit<Party, 'number'> = {}): Promise<void> {
    const to = dialable(number)
    if (to === '') return
    const call = dialled(crypto.randomUUID(), { number: to, ...who }, Date.now())
    this.#holdOthers(call.id)
    this.#deps.change({ calls: [...this.#calls, call], failure: undefined, microphoneProblem: undefined })
    try {
      const sdp = await this.#offer(call.id)
      if (sdp !== undefined) this.#send({ type: 'dial', callId: call.id, to, sdp })
    } catch (error) {
      this.#forget(call.id)
      if (error instanceof MicrophoneError) this.#deps.change({ microphoneProblem: error.problem })
      else this.#deps.change({ failure: error })
    }
  }

  async accept(callId: string): Promise<void> {
    const call = this.#calls.find(({ id }) => id === callId)
    if (call === undefined || !isWaiting(call)) {
      this.#wantedAnswer = callId
      return this.#socket.open()
    }
    this.#holdOthers(callId)
    this.#edit(callId, { phase: 'talking' })
    try {
      const sdp = await this.#offer(callId)
      if (sdp !== undefined) this.#send({ type: 'accept', callId, sdp })
    } catch (error) {
      // The caller still waits: the person can allow the microphone and retry.
      this.#edit(callId, { phase: 'ringing', ...(error instanceof MicrophoneError && { microphoneProblem: error.problem }) })
      if (!(error instanceof MicrophoneError)) this.#deps.change({ failure: error })
    }
  }

  decline(callId: string): void {
    this.#send({ type: 'decline', callId, cause: 'rejected' })
    this.#forget(callId)
  }

  hangUp(callId: string): void {
    this.#send({ type: 'hangup', callId })
    this.#edit(callId, { phase: 'over', endedAt: Date.now() })
    this.#finish(callId)
  }

  hold(callId: string, held: boolean): void {
    if (!held) this.#holdOthers(callId)
    this.#send({ type: 'hold', callId, value: held })
    this.#edit(callId, { held })
    this.#listen(callId)
  }

  mute(callId: string, muted: boolean): void {
    this.#edit(callId, { muted })
    this.#listen(callId)
  }

  press(callId: string, digits: string): void {
    this.#send({ type: 'dtmf', callId, digits })
  }

  record(callId: string, value: boolean): void {
    this.#send({ type: 'record', callId, value })
  }

  transfer(callId: string, number: string): void {
    this.#edit(callId, { transfer: 'trying' })
    this.#send({ type: 'transfer', callId, to: dialable(number) })
  }

  join(callId: string, otherId: string): void {
    this.#edit(callId, { transfer: 'trying' })
    this.#send({ type: 'transfer', callId, toCall: otherId })
  }

  dismiss(callId: string): void {
    this.#forget(callId)
  }

  async takeDevices(): Promise<void> {
    await Promise.all([...this.#media.values()].flatMap((media) => [media.useMicrophone(), media.useOutput()]))
  }

  async measureEcho(callId: string): Promise<number | undefined> {
    const media = this.#media.get(callId)
    return media && measureEcho(media)
  }

  close(): void {
    this.#tab.withdraw()
    for (const { id } of this.#calls) this.#finish(id)
    this.#socket.close()
    this.#deps.change({ calls: [] })
    this.#signal()
  }

  get #calls(): readonly PhoneCall[] {
    return this.#deps.view().calls
  }

  /** Undefined: the call has ended since. */
  async #offer(callId: string): Promise<string | undefined> {
    const connected = this.#socket.open()
    connected.catch(() => undefined)
    const media = await CallMedia.open({
      iceServers: connected.then(() => this.#socket.iceServers()),
      onNoWay: () => this.#send({ type: 'sound', callId }),
    })
    if (!this.#calls.some((call) => call.id === callId && isRunning(call))) {
      media.close()
      return undefined
    }
    this.#media.set(callId, media)
    this.#watch()
    return media.offer()
  }

  #hear(news: PhoneNews): void {
    if (news.type === 'ring') return this.#ring(news)
    if (news.type === 'ready') return this.#reconnection.came(news.pageId)
    if (news.callId === undefined) return
    const { callId } = news
    if (news.type === 'call') this.#reconnection.heardOf(callId)
    const call = this.#calls.find(({ id }) => id === callId)
    if (call === undefined) return
    if (news.type === 'media') {
      this.#early.add(callId)
      void this.#media.get(callId)?.answer(news.sdp)
    }
    if (news.type === 'sound') void this.#media.get(callId)?.carry(news.path)
    this.#edit(callId, heard(call, { ...news, callId }, Date.now()))
    if (news.type === 'ended') this.#finish(callId)
  }

  #ring(news: Extract<PhoneNews, { type: 'ring' }>): void {
    const { callId } = news
    const isWanted = callId === this.#wantedAnswer
    if ((!ringsHere() && !isWanted) || this.#calls.some(({ id }) => id === callId)) return
    this.#deps.change({ calls: [...this.#calls, rung(news)] })
    this.#send({ type: 'ringing', callId })
    this.#signal()
    if (isWanted) void this.accept(callId)
  }

  #edit(callId: string, part: Partial<PhoneCall>): void {
    this.#deps.change({ calls: this.#calls.map((call) => (call.id === callId ? { ...call, ...part } : call)) })
    this.#signal()
  }

  #holdOthers(callId: string): void {
    for (const { id, held, phase } of this.#calls) if (id !== callId && phase === 'talking' && !held) this.hold(id, true)
  }

  /** Applies hold and mute to the call's audio. */
  #listen(callId: string): void {
    const call = this.#calls.find(({ id }) => id === callId)
    if (call) this.#media.get(callId)?.listen(!call.held && !call.muted)
    if (call) this.#media.get(callId)?.play(!call.held)
  }

  #signal(): void {
    const signal = signalOf(
      this.#calls,
      this.#calls.some(({ id }) => this.#early.has(id)),
    )
    this.#signals.play(signal === 'ringback' || this.#tab.isMine ? signal : undefined)
  }

  /** Stops its audio; shows the reason for a moment. */
  #finish(callId: string): void {
    this.#media.get(callId)?.close()
    this.#media.delete(callId)
    this.#early.delete(callId)
    this.#signal()
    const call = this.#calls.find(({ id }) => id === callId)
    if (call?.end?.elsewhere) this.#forget(callId)
    else setTimeout(() => this.#forget(callId), farewellMs)
  }

  #forget(callId: string): void {
    this.#media.get(callId)?.close()
    this.#media.delete(callId)
    this.#deps.change({ calls: this.#calls.filter(({ id }) => id !== callId) })
    this.#signal()
    this.#rest()
  }

  /** Without a call and without ringing, the page needs no connection. */
  #rest(): void {
    if (!ringsHere() && !this.#calls.some(isRunning)) this.#socket.close()
  }

  #loseCalls(calls: readonly PhoneCall[]): void {
    for (const call of calls) {
      this.#edit(call.id, { phase: 'over', endedAt: Date.now(), end: { by: 'network', cause: 'failed', elsewhere: isWaiting(call) } })
      this.#finish(call.id)
    }
  }

  #watch(): void {
    this.#timer ??= setInterval(() => void this.#poll(), pollIntervalMs)
  }

  async #poll(): Promise<void> {
    if (this.#media.size === 0) {
      clearInterval(this.#timer)
      this.#timer = undefined
      return
    }
    this.#looks += 1
    for (const call of this.#calls.filter((one) => isOwn(one) && one.phase === 'talking' && !one.held && !one.heldByOther)) {
      const quality = await this.#media.get(call.id)?.quality(Date.now())
      if (quality === undefined) continue
      this.#edit(call.id, { quality })
      if (this.#looks % tellEvery === 0) this.#send({ type: 'quality', callId: call.id, ...quality })
    }
  }

  #send(frame: PageFrame): void {
    this.#reconnection.say(frame)
  }
}

const lock = 'offhook-phone'

/** Only one of the console's tabs rings: the first, and when it is closed the next. */
class RingingTab {
  #mine = false
  #release: (() => void) | undefined

  get isMine(): boolean {
    return this.#mine
  }

  /** `onGot`: this tab rings from now on. Without browser locks, every tab rings. */
  apply(onGot: () => void): void {
    if (this.#release !== undefined) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#release = resolve
    const hold = (): Promise<void> => {
      this.#mine = true
      onGot()
      return promise
    }
    if (isSecureContext && 'locks' in navigator) void navigator.locks.request(lock, hold)
    else void hold()
  }

  withdraw(): void {
    this.#mine = false
    this.#release?.()
    this.#release = undefined
  }
}
