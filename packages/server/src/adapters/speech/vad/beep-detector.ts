import { windowSamples } from './echo-guard.ts'
import { energyOf } from './energy.ts'
import { pureTone } from './window-spectrum.ts'

const lowest = 400
const highest = 2100
/** The tone in which many countries say that a line rings or is busy. */
const callProgress = { hertz: 425, within: 12 }
/** Between the windows of one tone. */
const steadyHertz = 12
/** 160 ms of whole windows, so the tone lasts 200 ms or nearly. */
const minWindows = 5
/** What sounds on for more than 3 seconds is the tone of a dead line. */
const maxWindows = 94
/** -45 dB. */
const minEnergy = windowSamples * 3.2e-5

/** Finds the one pure tone after which an answering machine records; tells when it is over. */
export class BeepDetector {
  readonly #beep: (at: number) => void
  #hertz = 0
  #windows = 0

  constructor(beep: (at: number) => void) {
    this.#beep = beep
  }

  /** `place`: where the window begins. */
  look(window: Float32Array, place: number): void {
    const hertz = energyOf(window) > minEnergy ? pureTone(window) : undefined
    const sameTone = hertz !== undefined && Math.abs(hertz - this.#hertz) < steadyHertz
    if (this.#windows > 0 && !sameTone) this.#ended(place)
    if (hertz !== undefined) {
      this.#hertz = hertz
      this.#windows++
    }
  }

  #ended(place: number): void {
    const windows = this.#windows
    this.#windows = 0
    if (this.#hertz < lowest || this.#hertz > highest || Math.abs(this.#hertz - callProgress.hertz) < callProgress.within) return
    if (windows >= minWindows && windows <= maxWindows) this.#beep(place)
  }
}
