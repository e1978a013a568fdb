/** Full scale is 0 dBFS for a sine from -32768 to 32767. */
const amplitude = (dbfs: number): number => 32767 * 10 ** (dbfs / 20)

const fadeMs = 5

/** One or more sines together; the edges are soft so that they do not click. */
export const sine = (frequencies: readonly number[], ms: number, rate: number, dbfs = -14): Int16Array => {
  const pcm = new Int16Array(Math.round((ms * rate) / 1000))
  const fade = Math.min(pcm.length / 2, (fadeMs * rate) / 1000)
  const peak = amplitude(dbfs)
  for (let i = 0; i < pcm.length; i++) {
    let sample = 0
    for (const frequency of frequencies) sample += Math.sin((2 * Math.PI * frequency * i) / rate)
    pcm[i] = Math.max(-32768, Math.min(32767, sample * peak * Math.min(1, (i + 1) / fade, (pcm.length - i) / fade)))
  }
  return pcm
}

const cadence = (onMs: number, offMs: number, rate: number): Int16Array => {
  const pcm = new Int16Array(((onMs + offMs) * rate) / 1000)
  pcm.set(sine([425], onMs, rate))
  return pcm
}

/** One round of each; all but the beep are made to be looped. Frequencies and cadences as they are usual in Germany. */
export const tones = {
  ringback: (rate: number) => cadence(1000, 4000, rate),
  busy: (rate: number) => cadence(480, 480, rate),
  congestion: (rate: number) => cadence(240, 240, rate),
  beep: (rate: number) => sine([1000], 400, rate),
}
