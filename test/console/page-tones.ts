import type { Page } from 'playwright-core'
import { until } from '#test/machine/peer-process.ts'
import { timeoutMs } from './visitor.ts'

/** Runs before the page's scripts: its microphone hears one tone, and remote sound is analysed. */
const script = (hz: number): string => `
  let audio
  const context = () => (audio ??= new AudioContext({ sampleRate: 48000 }))
  MediaDevices.prototype.getUserMedia = async () => {
    const microphone = context().createMediaStreamDestination()
    const tone = new OscillatorNode(context(), { frequency: ${hz} })
    tone.connect(microphone)
    tone.start()
    await context().resume()
    return microphone.stream
  }
  globalThis.ears = []
  const played = Object.getOwnPropertyDescriptor(HTMLMediaElement.prototype, 'srcObject')
  Object.defineProperty(HTMLMediaElement.prototype, 'srcObject', {
    ...played,
    set(stream) {
      played.set.call(this, stream)
      globalThis.ears = globalThis.ears.filter(({ element }) => element !== this)
      if (!stream) return
      const ear = new AnalyserNode(context(), { fftSize: 4096, smoothingTimeConstant: 0 })
      context().createMediaStreamSource(stream).connect(ear)
      globalThis.ears.push({ element: this, ear })
    },
  })
  const play = HTMLMediaElement.prototype.play
  HTMLMediaElement.prototype.play = function () {
    if (!this.srcObject && !globalThis.ears.some(({ element }) => element === this)) {
      const ear = new AnalyserNode(context(), { fftSize: 4096, smoothingTimeConstant: 0 })
      context().createMediaElementSource(this).connect(ear)
      globalThis.ears.push({ element: this, ear })
    }
    return play.call(this)
  }
  globalThis.loudest = () => {
    const heard = globalThis.ears
      .filter(({ element }) => !element.muted)
      .map(({ ear }) => {
        const bins = new Float32Array(ear.frequencyBinCount)
        ear.getFloatFrequencyData(bins)
        const best = bins.reduce((top, level, at) => (level > bins[top] ? at : top), 0)
        return { hz: (best * 48000) / ear.fftSize, db: bins[best] }
      })
    return heard.sort((one, other) => other.db - one.db)[0] ?? { hz: 0, db: -200 }
  }
`

/** Call before the page is opened. */
export const speakTone = (page: Page, hz: number): Promise<unknown> => page.addInitScript(script(hz))

const heard = (page: Page, fits: (sound: { hz: number; db: number }) => boolean, what: string): Promise<unknown> =>
  until(
    what,
    async () => {
      const sound = await page.evaluate<{ hz: number; db: number | null }>('globalThis.loudest()')
      return fits({ hz: sound.hz, db: sound.db ?? -200 }) ? true : undefined
    },
    timeoutMs,
  )

const isTone = (sound: { hz: number; db: number }, hz: number): boolean => sound.db > -60 && Math.abs(sound.hz - hz) < 30

export const hearsTone = (page: Page, hz: number): Promise<unknown> => heard(page, (sound) => isTone(sound, hz), `a tone of ${hz} Hz`)

export const hearsNoTone = (page: Page, hz: number): Promise<unknown> => heard(page, (sound) => !isTone(sound, hz), `no tone of ${hz} Hz`)
