import { countsOf, qualityBetween, type Counts, type Quality } from '#api/phone/quality.ts'
import { openMicrophone } from './sound/microphone.ts'
import { leadTo } from './sound/outputs.ts'

/** How long addresses of STUN and TURN are waited for; without such servers there is nothing to wait for. */
const gatheringMs = 1_000

/** The sound of one call: the microphone there, the loudspeaker here. */
export class CallMedia {
  readonly #connection: RTCPeerConnection
  readonly #loudspeaker = new Audio()
  readonly #remote = Promise.withResolvers<MediaStream>()
  #microphone: MediaStream
  #sender: RTCRtpSender | undefined
  #counts: Counts | undefined
  #quality: Quality | undefined

  private constructor(microphone: MediaStream, iceServers: RTCIceServer[]) {
    this.#microphone = microphone
    this.#connection = new RTCPeerConnection({ iceServers, bundlePolicy: 'max-bundle' })
    this.#loudspeaker.autoplay = true
    this.#connection.addEventListener('track', ({ streams: [stream], track }) => {
      const remote = stream ?? new MediaStream([track])
      this.#loudspeaker.srcObject = remote
      void this.useOutput()
      this.#remote.resolve(remote)
    })
  }

  /** Asks for the microphone; fails with a MicrophoneError. */
  static async open(iceServers: Promise<RTCIceServer[]>): Promise<CallMedia> {
    const microphone = await openMicrophone()
    try {
      return new CallMedia(microphone, await iceServers)
    } catch (error) {
      stop(microphone)
      throw error
    }
  }

  /** What comes from the other side, as soon as there is a way for it. */
  get remote(): Promise<MediaStream> {
    return this.#remote.promise
  }

  /** Undefined until it is. */
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

  /** The service may answer before somebody picks up, and once more then; the first answer holds. */
  async answer(sdp: string): Promise<void> {
    if (this.#connection.signalingState === 'have-local-offer') await this.#connection.setRemoteDescription({ type: 'answer', sdp })
  }

  listen(isOn: boolean): void {
    for (const track of this.#microphone.getAudioTracks()) track.enabled = isOn
  }

  play(isOn: boolean): void {
    this.#loudspeaker.muted = !isOn
  }

  /** Another one was chosen. */
  async useMicrophone(): Promise<void> {
    const next = await openMicrophone()
    const [track] = next.getAudioTracks()
    const wasOn = this.#microphone.getAudioTracks().every(({ enabled }) => enabled)
    if (track) track.enabled = wasOn
    await this.send(track)
    stop(this.#microphone)
    this.#microphone = next
  }

  /** Something else than the microphone, for a moment; without anything, the microphone again. */
  async send(track: MediaStreamTrack = this.#microphone.getAudioTracks()[0] as MediaStreamTrack): Promise<void> {
    await this.#sender?.replaceTrack(track)
  }

  useOutput(): Promise<void> {
    return leadTo('speaker', this.#loudspeaker)
  }

  /** Since the last time it was asked. */
  async quality(now: number): Promise<Quality> {
    const report = await this.#connection.getStats()
    const counts = countsOf((report as unknown as Map<string, { type: string }>).values(), now)
    this.#quality = qualityBetween(this.#counts ?? counts, counts, this.#quality?.silentMs ?? 0)
    this.#counts = counts
    return this.#quality
  }

  close(): void {
    this.#connection.close()
    this.#loudspeaker.srcObject = null
    stop(this.#microphone)
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
