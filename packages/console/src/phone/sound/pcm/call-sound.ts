import loudspeakerScript from './loudspeaker-processor.ts?worker&url'
import microphoneScript from './microphone-processor.ts?worker&url'

export interface CallSoundDeps {
  /** Without one, silence is sent. */
  microphone: MediaStream | undefined
  onFrame: (frame: ArrayBuffer) => void
  /** It was unplugged, or taken away in the browser's settings. */
  onMicrophoneLost: () => void
  /** Where it sounds; the loudspeaker of the browser unless given. */
  speaker?: (context: AudioContext) => AudioNode
}

/** The sound of one call: frames from the microphone, frames to the loudspeaker. */
export interface CallSound {
  play(frame: ArrayBuffer): void
  mute(on: boolean): void
  /** Instead of the microphone that it began with. */
  listenTo(stream: MediaStream): void
  close(): void
}

export const openCallSound = async (deps: CallSoundDeps): Promise<CallSound> => {
  const tracks = deps.microphone?.getAudioTracks() ?? []
  const release = (): void => {
    for (const track of tracks) track.stop()
  }
  // Whatever fails: without a call the microphone is off.
  const context = await openContext().catch((error: unknown) => {
    release()
    throw error
  })
  // A track that is stopped by us does not say that it has ended.
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
  // It plays nothing, but browsers let only run what leads to the loudspeaker.
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
