/** What is sent and comes back. */
export interface EchoWay {
  /** What comes from the other side, as soon as there is a way for it. */
  readonly remote: Promise<MediaStream>
  /** Something else than the microphone for a moment; without anything, the microphone again. */
  send(track?: MediaStreamTrack): Promise<void>
}

const toneHz = 1_000
const toneMs = 120
const pauseMs = 500
const rounds = 5
/** After so long it will not come any more. */
const timeoutMs = 2_000
/** As long as another way is looked for where WebRTC finds none, and a little more. */
const wayMs = 8_000
/** Of the loudest that can be; an echo comes back nearly as loud as it was sent. */
const isLoud = 0.02

const median = (values: readonly number[]): number | undefined => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]

/** Sends short tones in place of the microphone and waits for each to come back: mouth to ear, with everything between. */
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

/** Of the tone alone: noise around it does not count. */
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
