import type { PhoneNews } from '@offhook/contract/v3/phone.ts'
import { within } from '../machine/within.ts'
import type { Page } from '../machine/chromium.ts'

/** Runs in the page: phone without UI that sends one tone. Its events are queued until the test reads them. */
const script = `globalThis.PagePhone ??= class {
  news = []; waiting = []; calls = new Map()
  static async open(url, hz) {
    const phone = new PagePhone()
    phone.audio = new AudioContext({ sampleRate: 48000 })
    await phone.audio.resume()
    const tone = phone.audio.createOscillator()
    tone.frequency.value = hz
    phone.microphone = phone.audio.createMediaStreamDestination()
    phone.gain = phone.audio.createGain()
    tone.connect(phone.gain).connect(phone.microphone)
    tone.start()
    const address = new URL(url)
    phone.socket = new WebSocket('ws://' + location.host + address.pathname + address.search)
    phone.socket.onmessage = ({ data }) => phone.heed(JSON.parse(data))
    await new Promise((resolve, reject) => { phone.socket.onopen = resolve; phone.socket.onclose = () => reject(new Error('refused')) })
    phone.socket.onclose = () => phone.heed({ type: 'closed' })
    return phone
  }
  heed(news) {
    news.at = performance.now()
    if (news.type === 'media') void this.calls.get(news.callId).connection.setRemoteDescription({ type: 'answer', sdp: news.sdp })
    if (news.type === 'ring') this.send({ type: 'ringing', callId: news.callId })
    if (news.type === 'ended') this.calls.get(news.callId)?.connection.close()
    this.news.push(news)
    for (const look of this.waiting.splice(0)) look()
  }
  send(frame) { this.socket.send(JSON.stringify(frame)) }
  async told(type, callId) {
    for (;;) {
      const at = this.news.findIndex((one) => one.type === type && (callId === undefined || one.callId === callId))
      if (at >= 0) return this.news.splice(at, 1)[0]
      await new Promise((resolve) => this.waiting.push(resolve))
    }
  }
  async offer(callId) {
    const connection = new RTCPeerConnection({ bundlePolicy: 'max-bundle' })
    const call = { connection }
    this.calls.set(callId, call)
    connection.addTrack(this.microphone.stream.getAudioTracks()[0], this.microphone.stream)
    connection.ontrack = ({ track }) => {
      const speaker = new Audio()
      speaker.srcObject = new MediaStream([track])
      speaker.play().catch(() => {})
      call.analyser = this.audio.createAnalyser()
      call.analyser.fftSize = 4096
      call.analyser.smoothingTimeConstant = 0
      this.audio.createMediaStreamSource(new MediaStream([track])).connect(call.analyser)
    }
    await connection.setLocalDescription()
    return connection.localDescription.sdp
  }
  async dial(to) {
    const callId = crypto.randomUUID()
    this.send({ type: 'dial', callId, to, sdp: await this.offer(callId) })
    return callId
  }
  async accept(callId) {
    const clicked = performance.now()
    this.send({ type: 'accept', callId, sdp: await this.offer(callId) })
    return clicked
  }
  loudest(callId) {
    const { analyser } = this.calls.get(callId)
    if (!analyser) return { hz: 0, db: -200 }
    const bins = new Float32Array(analyser.frequencyBinCount)
    analyser.getFloatFrequencyData(bins)
    const best = bins.reduce((top, level, at) => (level > bins[top] ? at : top), 0)
    return { hz: (best * 48000) / analyser.fftSize, db: bins[best] }
  }
  async hears(callId, hz) {
    for (;;) {
      const heard = this.loudest(callId)
      if (heard.db > -60 && Math.abs(heard.hz - hz) < 30) return performance.now()
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }
  async hearsOther(callId, hz) {
    for (;;) {
      const heard = this.loudest(callId)
      if (heard.db > -70 && Math.abs(heard.hz - hz) > 60) return performance.now()
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }
  /** Milliseconds until a click on the silent line comes back. */
  async roundTrip(callId) {
    this.gain.gain.value = 0
    while (this.loudest(callId).db > -60) await new Promise((resolve) => setTimeout(resolve, 10))
    const said = performance.now()
    this.gain.gain.value = 1
    while (this.loudest(callId).db < -50) await new Promise((resolve) => setTimeout(resolve, 2))
    return performance.now() - said
  }
}`

type Told<T extends PhoneNews['type']> = Extract<PhoneNews, { type: T }> & { at: number }

const timeoutMs = 60_000

/** Phone in a page of a real browser; one page may have several. */
export class PagePhone {
  readonly #page: Page
  readonly #name: string

  private constructor(page: Page, name: string) {
    this.#page = page
    this.#name = name
  }

  /** The page must belong to the service. */
  static async open(page: Page, url: string, { name, tone }: { name: string; tone: number }): Promise<PagePhone> {
    await page.evaluate(script)
    await page.evaluate(`PagePhone.open(${JSON.stringify(url)}, ${tone}).then((phone) => void (globalThis.${name} = phone))`)
    return new PagePhone(page, name)
  }

  onEvent<T extends PhoneNews['type']>(type: T, callId?: string): Promise<Told<T>> {
    return this.#do(`told('${type}', ${JSON.stringify(callId)})`)
  }

  /** Returns the id of the call. */
  dial(to: string): Promise<string> {
    return this.#do(`dial('${to}')`)
  }

  /** Returns the time by the page's clock. */
  accept(callId: string): Promise<number> {
    return this.#do(`accept('${callId}')`)
  }

  send(frame: object): Promise<void> {
    return this.#do(`send(${JSON.stringify(frame)})`)
  }

  /** Resolves with the time when this tone is the loudest. */
  hears(callId: string, hz: number): Promise<number> {
    return this.#do(`hears('${callId}', ${hz})`)
  }

  /** Resolves when something other than this tone is heard. */
  hearsOther(callId: string, hz: number): Promise<number> {
    return this.#do(`hearsOther('${callId}', ${hz})`)
  }

  roundTrip(callId: string): Promise<number> {
    return this.#do(`roundTrip('${callId}')`)
  }

  close(): Promise<void> {
    return this.#do('socket.close()')
  }

  #do<T>(what: string): Promise<T> {
    return within(timeoutMs, `${this.#name}.${what.slice(0, 80)}`, this.#page.evaluate<T>(`${this.#name}.${what}`))
  }
}
