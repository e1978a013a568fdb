import { countsOf, qualityBetween, type Counts, type Quality } from '#api/phone/quality.ts'
import { after } from './after.ts'
import { openMicrophone } from './sound/microphone.ts'
import { leadTo } from './sound/signals.ts'
import { SoundLine } from './sound/sound-line.ts'
import { WayWatch } from './sound/way-watch.ts'

/** Milliseconds to wait for STUN and TURN candidates; without such servers there is no wait. */
const gatheringMs = 1_000
/** Milliseconds before a broken WebSocket is reopened. */
const breakMs = 500

interface CallMediaDeps {
  iceServers: Promise<RTCIceServer[]>
  /** WebRTC finds no path, or its replacement WebSocket broke: `carry` needs an address. */
  onNoWay: () => void
}

/** The audio of one call: microphone and loudspeaker. Uses WebRTC, or a WebSocket if that finds no path. */
export class CallMedia {
  readonly #connection: RTCPeerConnection
  readonly #loudspeaker = new Audio()
  readonly #remote = Promise.withResolvers<MediaStream>()
  #microphone: MediaStream
  #sender: RTCRtpSender | undefined
  #counts: Counts | undefined
  #quality: Quality | undefined
  readonly #way: WayWatch
  #line: SoundLine | undefined
  #opening: Promise<SoundLine> | undefined
  #closed = false

  private constructor(microphone: MediaStream, iceServers: RTCIceServer[], onNoWay: () => void) {
    this.#microphone = microphone
    this.#way = new WayWatch(onNoWay, after)
    this.#connection = new RTCPeerConnection({ iceServers, bundlePolicy: 'max-bundle' })
    this.#loudspeaker.autoplay = true
    this.#connection.addEventListener('track', ({ streams: [stream], track }) => {
      this.#loudspeaker.srcObject = stream ?? new MediaStream([track])
      void this.useOutput()
    })
    this.#connection.addEventListener('connectionstatechange', () => this.#poll())
  }

  /** Requests the microphone; rejects with a MicrophoneError. */
  static async open({ iceServers, onNoWay }: CallMediaDeps): Promise<CallMedia> {
    const microphone = await openMicrophone()
    try {
      return new CallMedia(microphone, await iceServers, onNoWay)
    } catch (error) {
      stop(microphone)
      throw error
    }
  }

  /** Remote audio, as soon as there is a path. */
  get remote(): Promise<MediaStream> {
    return this.#remote.promise
  }

  /** Undefined before the offer. */
  get offered(): string | undefined {
    return this.#connection.localDescription?.sdp
  }

  async offer(): Promise<string> {
    const [track] = this.#microphone.getAudioTracks()
    if (track) this.#sender = this.#connection.addTrack(track, this.#microphone)
    await this.#connection.setLocalDescription()
    if ((this.#connection.getConfiguration().iceServers ?? []).length > 0) await this.#gathered()
    return this.#connection.localDescription?.sdp ?? ''
  }

  /** The service may answer before the pick-up, and again then; the first answer counts. */
  async answer(sdp: string): Promise<void> {
    if (this.#connection.signalingState !== 'have-local-offer') return
    await this.#connection.setRemoteDescription({ type: 'answer', sdp })
    this.#poll()
  }

  /** Switches to a WebSocket at this address of the service. */
  async carry(path: string): Promise<void> {
    const line = await this.#openLine()
    if (this.#closed) return line.close()
    this.#way.found()
    if (this.#line === undefined) this.#takeLine(line)
    line.connect(path)
  }

  listen(isOn: boolean): void {
    for (const track of this.#microphone.getAudioTracks()) track.enabled = isOn
  }

  play(isOn: boolean): void {
    this.#loudspeaker.muted = !isOn
  }

  /** Another microphone was chosen. */
  async useMicrophone(): Promise<void> {
    const next = await openMicrophone()
    const [track] = next.getAudioTracks()
    const wasOn = this.#microphone.getAudioTracks().every(({ enabled }) => enabled)
    if (track) track.enabled = wasOn
    await this.send(track)
    stop(this.#microphone)
    this.#microphone = next
  }

  /** Temporarily replaces the microphone; without a track, restores it. */
  async send(track: MediaStreamTrack = this.#microphone.getAudioTracks()[0] as MediaStreamTrack): Promise<void> {
    this.#line?.listenTo(new MediaStream([track]))
    if (this.#line === undefined) await this.#sender?.replaceTrack(track)
  }

  useOutput(): Promise<void> {
    return leadTo('speaker', this.#loudspeaker)
  }

  /** Since the last call. */
  async quality(now: number): Promise<Quality> {
    const counts = this.#line?.counts(now) ?? (await this.#measured(now))
    this.#quality = qualityBetween(this.#counts ?? counts, counts, this.#quality?.silentMs ?? 0)
    this.#counts = counts
    return this.#quality
  }

  close(): void {
    this.#closed = true
    this.#way.found()
    this.#line?.close()
    this.#connection.close()
    this.#loudspeaker.srcObject = null
    stop(this.#microphone)
  }

  #poll(): void {
    if (this.#closed || this.#line !== undefined) return
    if (this.#connection.connectionState !== 'connected') return this.#way.lost()
    this.#way.found()
    this.#remote.resolve(this.#loudspeaker.srcObject as MediaStream)
  }

  /** Once, even if several addresses arrive before it is open. */
  async #openLine(): Promise<SoundLine> {
    this.#opening ??= SoundLine.open(this.#microphone, () => this.#way.lost(breakMs))
    try {
      return await this.#opening
    } catch (error) {
      this.#opening = undefined
      throw error
    }
  }

  #takeLine(line: SoundLine): void {
    this.#line = line
    this.#connection.close()
    this.#counts = undefined
    this.#loudspeaker.srcObject = line.remote
    this.#remote.resolve(line.remote)
  }

  async #measured(now: number): Promise<Counts> {
    const report = await this.#connection.getStats()
    return countsOf((report as unknown as Map<string, { type: string }>).values(), now)
  }

  #gathered(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const look = (): void => {
      if (this.#connection.iceGatheringState === 'complete') resolve()
    }
    this.#connection.addEventListener('icegatheringstatechange', look)
    setTimeout(resolve, gatheringMs)
    look()
    return promise
  }
}

const stop = (stream: MediaStream): void => {
  for (const track of stream.getTracks()) track.stop()
}
