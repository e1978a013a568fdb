import type { Log } from '#log/log-events.ts'
import type { ModelPart } from '../models/model-list.ts'
import type { Models } from '../models/models.ts'
import type { ModelSizes } from '../models/model-sizes.ts'
import type { Family } from './languages.ts'

/** A recogniser in one size. */
export type Engine = 'moonshine-tiny' | 'moonshine-base' | 'whisper-base' | 'whisper-small'

/** The smaller one takes over from the larger one; where only a larger one is there, that is better than none. */
const engines: Readonly<Record<Family, readonly Engine[]>> = {
  moonshine: ['moonshine-base', 'moonshine-tiny'],
  whisper: ['whisper-small', 'whisper-base'],
}

const partsOf: Readonly<Record<Engine, readonly ModelPart[]>> = {
  'moonshine-tiny': ['stt-en'],
  'moonshine-base': ['stt-en', 'stt-en-base'],
  'whisper-base': ['stt-multi'],
  'whisper-small': ['stt-multi-small'],
}

export const familyOf = (engine: Engine): Family => (engine.startsWith('moonshine') ? 'moonshine' : 'whisper')

export interface Choice {
  engine: Engine
  /** For when too much is to be done. */
  quick?: Engine
  /** Of the models. */
  folder: string
}

interface ChoiceDeps {
  models: Pick<Models, 'folderWith'>
  sizes: ModelSizes
  log: Log
}

/** Which models hear on this machine, of those that are there. */
export class EngineChoice {
  readonly #deps: ChoiceDeps
  /** What is missing and was told. */
  readonly #told = new Set<Engine>()

  constructor(deps: ChoiceDeps) {
    this.#deps = deps
  }

  /** Throws SpeechUnavailable if none of the family is there, with what is missing of the one that should be. */
  async of(family: Family): Promise<Choice> {
    const wanted = this.#wanted(family)
    let missing: unknown
    for (const engine of [wanted, ...engines[family].filter((one) => one !== wanted)]) {
      try {
        const folder = await this.#deps.models.folderWith(...partsOf[engine])
        if (engine === wanted) this.#told.delete(wanted)
        else this.#notify(wanted, engine, missing)
        return { engine, folder, ...(engine === 'moonshine-base' && { quick: 'moonshine-tiny' }) }
      } catch (error) {
        missing ??= error
      }
    }
    throw missing
  }

  #wanted(family: Family): Engine {
    const { english, whisper } = this.#deps.sizes
    return family === 'moonshine' ? `moonshine-${english}` : `whisper-${whisper}`
  }

  #notify(missing: Engine, instead: Engine, error: unknown): void {
    if (this.#told.has(missing)) return
    this.#told.add(missing)
    this.#deps.log('recogniser_replaced', { missing, instead, why: (error as Error).message })
  }
}
