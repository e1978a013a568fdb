import loudspeakerScript from './loudspeaker-processor.ts?worker&url'
import microphoneScript from './microphone-processor.ts?worker&url'

interface CallSoundDeps {
  /** Without one, silence is sent. */
  microphone: MediaStream | undefined
  onFrame: (frame: ArrayBuffer) => void
  /** It was unplugged, or its permission revoked. */
  onMicrophoneLost: () => void
  /** Output node; default: the browser's loudspeaker. */
  speaker?: (context: AudioContext) => AudioNode
}

/** The audio of one call: frames from the microphone, frames to the loudspeaker. */
export interface CallSound {
  play(frame: ArrayBuffer): void
  mute(on: boolean): void
  /** Replaces the microphone. */
  listenTo(stream: MediaStream): void
  close(): void
}

export const openCallSound = async (deps: CallSoundDeps): Promise<CallSound> => {
  const tracks = deps.microphone?.getAudioTracks() ?? []
  const release = (): void => {
    for (const track of tracks) track.stop()
  }
  // Turns the microphone off on any failure.
  const context = await openContext().catch((error: unknown) => {
    release()
    throw error
  })
  // A track that we stop fires no `ended` event.
  for (const track of tracks) track.addEventListener('ended', deps.onMicrophoneLost)
  const listenTo = listen(context, deps)
  const loudspeaker = new AudioWorkletNode(context, 'loudspeaker', { numberOfInputs: 0, outputChannelCount: [1] })
  loudspeaker.connect(deps.speaker?.(context) ?? context.destination)
  return {
    play: (frame) => loudspeaker.port.postMessage(frame, [frame]),
    mute: (on) => {
      for (const track of tracks) track.enabled = !on
    },
    listenTo,
    close: () => {
      release()
      void context.close()
    },
  }
}

const openContext = async (): Promise<AudioContext> => {
  const context = new AudioContext({ latencyHint: 'interactive' })
  try {
    await Promise.all([microphoneScript, loudspeakerScript].map((script) => context.audioWorklet.addModule(script)))
    await context.resume()
    return context
  } catch (error) {
    void context.close()
    throw error
  }
}

const listen = (context: AudioContext, { microphone, onFrame }: CallSoundDeps): CallSound['listenTo'] => {
  const listener = new AudioWorkletNode(context, 'microphone', { channelCount: 1, channelCountMode: 'explicit' })
  listener.port.addEventListener('message', ({ data }: MessageEvent<ArrayBuffer>) => onFrame(data))
  listener.port.start()
  // It plays nothing, but browsers run only nodes connected to the loudspeaker.
  listener.connect(context.destination)
  let source: MediaStreamAudioSourceNode | undefined
  const listenTo = (stream: MediaStream): void => {
    source?.disconnect()
    source = context.createMediaStreamSource(stream)
    source.connect(listener)
  }
  if (microphone) listenTo(microphone)
  return listenTo
}
