import type { Log } from '#log/log-events.ts'
import type { ModelPart, ModelSizes } from '../models/model-list.ts'
import type { Models } from '../models/models.ts'
import { mainLanguage } from '#core/speech/text-normalization/main-language.ts'

/** One size of a recogniser. */
export type Engine = 'moonshine-tiny' | 'moonshine-base' | 'whisper-base' | 'whisper-small'

/** The smaller model replaces a missing larger one; a larger one is used when it is the only one. */
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
  /** The model for overload. */
  quick?: Engine
  /** Folder of the models. */
  folder: string
}

interface ChoiceDeps {
  models: Pick<Models, 'folderWith'>
  sizes: ModelSizes
  log: Log
}

/** Chooses the recogniser models among those that are there. */
export class EngineChoice {
  readonly #deps: ChoiceDeps
  /** Missing models that were logged. */
  readonly #told = new Set<Engine>()

  constructor(deps: ChoiceDeps) {
    this.#deps = deps
  }

  /** Throws SpeechUnavailable if the family has no model, with the missing packages of the configured one. */
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

/** Languages of Whisper, by its own codes. */
export const allCodes: readonly string[] = (
  'af am ar as az ba be bg bn bo br bs ca cs cy da de el en es et eu fa fi fo fr gl gu ha haw he hi hr ht hu hy id is it ja jw ka kk km ' +
  'kn ko la lb ln lo lt lv mg mi mk ml mn mr ms mt my ne nl nn no oc pa pl ps pt ro ru sa sd si sk sl sn so sq sr su sv sw ta te tg th ' +
  'tk tl tr tt uk ur uz vi yi yo zh'
).split(' ')

const otherNames: Record<string, string> = { nb: 'no', fil: 'tl', jv: 'jw', iw: 'he', in: 'id', ji: 'yi', cmn: 'zh' }

/** Whisper’s code for a BCP 47 tag such as de-AT. */
export const whisperCode = (language: string): string | undefined => {
  const base = mainLanguage(language)
  const code = otherNames[base] ?? base
  return allCodes.includes(code) ? code : undefined
}

/** Recogniser families; each has two sizes. */
export type Family = 'moonshine' | 'whisper'

interface Hearing {
  family: Family
  /** Candidate languages; empty: any. */
  codes: string[]
}

/** Moonshine knows only English, but takes a third of the time. Whisper gets all other languages, including unknown ones. */
export const hearingFor = (languages: readonly string[]): Hearing => {
  const codes = [...new Set(languages.flatMap((language) => whisperCode(language) ?? []))]
  const english = codes.length === 1 && codes[0] === 'en'
  return { family: english ? 'moonshine' : 'whisper', codes }
}
