/** The path of the echo test. */
interface EchoWay {
  /** Remote audio, as soon as there is a path. */
  readonly remote: Promise<MediaStream>
  /** Temporarily replaces the microphone; without a track, restores it. */
  send(track?: MediaStreamTrack): Promise<void>
}

const toneHz = 1_000
const toneMs = 120
const pauseMs = 500
const rounds = 5
/** Milliseconds after which the echo counts as lost. */
const timeoutMs = 2_000
/** Milliseconds to wait for a path: as long as the WebRTC fallback takes, and a little more. */
const wayMs = 8_000
/** Share of full scale; an echo returns nearly as loud as it was sent. */
const isLoud = 0.02

const median = (values: readonly number[]): number | undefined => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]

/** Sends short tones in place of the microphone and waits for each echo: mouth to ear, including everything in between. */
export const measureEcho = async (way: EchoWay): Promise<number | undefined> => {
  const remote = await Promise.race([way.remote, passed(wayMs)])
  if (remote === undefined) return undefined
  const context = new AudioContext({ latencyHint: 'interactive' })
  const mouth = context.createMediaStreamDestination()
  const ear = new AnalyserNode(context, { fftSize: 1024 })
  context.createMediaStreamSource(remote).connect(ear)
  try {
    await way.send(mouth.stream.getAudioTracks()[0])
    const measured: number[] = []
    for (let round = 0; round < rounds; round++) {
      await passed(pauseMs)
      const ms = await oneTone(context, mouth, ear)
      if (ms !== undefined) measured.push(ms)
    }
    return median(measured)
  } finally {
    await way.send()
    await context.close()
  }
}

const oneTone = async (context: AudioContext, mouth: AudioNode, ear: AnalyserNode): Promise<number | undefined> => {
  const tone = new OscillatorNode(context, { frequency: toneHz })
  tone.connect(mouth)
  tone.start()
  tone.stop(context.currentTime + toneMs / 1000)
  const startedAt = performance.now()
  while (performance.now() - startedAt < timeoutMs) {
    if (loudnessOf(ear) > isLoud) return performance.now() - startedAt
    await passed(4)
  }
  return undefined
}

/** Loudness at the tone's frequency: ignores noise around it. */
const loudnessOf = (ear: AnalyserNode): number => {
  const samples = new Float32Array(ear.fftSize)
  ear.getFloatTimeDomainData(samples)
  const step = (2 * Math.PI * toneHz) / ear.context.sampleRate
  let [sine, cosine] = [0, 0]
  for (const [index, sample] of samples.entries()) {
    sine += sample * Math.sin(index * step)
    cosine += sample * Math.cos(index * step)
  }
  return (2 * Math.hypot(sine, cosine)) / samples.length
}

const passed = (ms: number): Promise<undefined> => new Promise((resolve) => setTimeout(resolve, ms, undefined))
