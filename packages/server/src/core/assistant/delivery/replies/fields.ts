import { BargeIn, bargeInStrategies, mostNoteBytes, VadWish } from '@offhook/contract/assistant/actions.ts'
import { isVariableName } from '@offhook/contract/assistant/variables.ts'
import { bodyChecker } from '@offhook/contract/validation.ts'
import type { Static, TSchema } from 'typebox'

type Input = Record<string, unknown>

/** Fields of one action as sent by the endpoint. Null counts as missing. */
export class Fields {
  readonly problems: string[] = []
  readonly #given: Input

  constructor(given: Input) {
    this.#given = given
  }

  get(name: string): unknown {
    return Object.hasOwn(this.#given, name) ? (this.#given[name] ?? undefined) : undefined
  }

  note(problem: string): void {
    this.problems.push(problem)
  }

  /** The whole action cannot be performed. */
  fatal(problem: string): undefined {
    this.problems.push(problem)
    return undefined
  }

  text<N extends string>(name: N, maxLength: number): { [K in N]?: string } {
    const value = this.get(name)
    if (value === undefined) return {}
    if (typeof value !== 'string') this.note(`${name} must be a string`)
    else if (value.length > maxLength) this.note(`${name} has more than ${maxLength} characters`)
    else return { [name]: value } as { [K in N]?: string }
    return {}
  }

  texts(name: string, { min, most: max, maxLength }: { min: number; most: number; maxLength: number }): Record<string, string[]> {
    const value = this.get(name)
    if (value === undefined) return {}
    const list: unknown[] = Array.isArray(value) ? value : [value]
    if (list.length < min || list.length > max) this.note(`${name} must have ${min} to ${max} entries`)
    else if (!list.every((entry) => typeof entry === 'string' && entry.length <= maxLength))
      this.note(`${name} must be strings of at most ${maxLength} characters`)
    else return { [name]: list as string[] }
    return {}
  }

  /** Any JSON within the size limit. */
  json(name: string): Input {
    const value = this.get(name)
    if (value === undefined) return {}
    if (isDeeper(value, deepest)) this.note(`${name} has more than ${deepest} levels`)
    else if (Buffer.byteLength(JSON.stringify(value)) > mostNoteBytes) this.note(`${name} has more than ${mostNoteBytes} bytes of JSON`)
    else return { [name]: value }
    return {}
  }

  record(name: string): Input {
    const value = this.get(name)
    if (value === undefined || isRequest(value)) return this.json(name)
    this.note(`${name} must be an object`)
    return {}
  }

  variables(): Input {
    const value = this.get('variables')
    if (!isRequest(value)) this.note('variables must be an object')
    else if (!Object.keys(value).every(isVariableName)) this.note('variables must have names of letters, digits and underscores')
    else if (!Object.values(value).every((one) => one === null || ['string', 'number', 'boolean'].includes(typeof one)))
      this.note('variables must be strings, numbers or booleans, or null to remove one')
    else return { variables: value }
    return {}
  }

  flag<N extends string>(name: N): { [K in N]?: boolean } {
    const value = this.get(name)
    if (value === undefined) return {}
    if (typeof value === 'boolean') return { [name]: value } as { [K in N]?: boolean }
    this.note(`${name} must be true or false`)
    return {}
  }

  choice<T extends string>(name: string, values: readonly T[]): Record<string, T> {
    const value = this.get(name)
    if (value === undefined) return {}
    const known = typeof value === 'string' ? values.find((one) => one === value.toLowerCase()) : undefined
    if (known !== undefined) return { [name]: known }
    this.note(`${name} must be one of ${values.join(', ')}`)
    return {}
  }

  number(name: string, min: number, max: number): Record<string, number> {
    const value = this.get(name)
    if (value === undefined) return {}
    if (typeof value === 'number' && value >= min && value <= max) return { [name]: value }
    this.note(`${name} must be a number from ${min} to ${max}`)
    return {}
  }

  /** WebSocket: turn of the action. */
  turn(): { turn?: number } {
    const value = this.get('turn')
    if (value === undefined) return {}
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return { turn: value }
    this.note('turn must be a whole number')
    return {}
  }

  provider(): { provider?: string } {
    const { provider } = this.text('provider', 40)
    return provider === undefined ? {} : { provider: providerName(provider) }
  }

  /** A wrong voice is ignored: the flow's own speaks the text. */
  tts(): { tts?: Input } {
    const value = this.get('tts')
    if (value === undefined) return {}
    if (!isRequest(value)) {
      this.note('tts must be an object')
      return {}
    }
    const inside = new Fields(value)
    const tts = { ...inside.provider(), ...inside.text('language', 20), ...inside.#voice() }
    for (const problem of inside.problems) this.note(`tts.${problem}`)
    return { tts }
  }

  #voice(): Input {
    const value = this.get('voice')
    if (!isRequest(value)) return this.text('voice', 100)
    const inside = new Fields(value)
    const voice = { ...inside.text('id', 100), ...inside.text('name', 100) }
    for (const problem of inside.problems) this.note(`voice.${problem}`)
    return { voice }
  }

  /** The interface has always ignored values out of range here, without a problem. */
  bargeIn(): { barge_in?: Static<typeof BargeIn> } {
    const value = this.get('barge_in')
    if (!isRequest(value)) return {}
    const { strategy, minimum_characters: characters, allow_after_ms: after } = value
    const known = typeof strategy === 'string' ? bargeInStrategies.find((one) => one === strategy.toLowerCase()) : undefined
    return {
      barge_in: {
        ...(known !== undefined && { strategy: known }),
        ...(isCharacters(characters) && { minimum_characters: characters }),
        ...(isDelay(after) && { allow_after_ms: after }),
      },
    }
  }

  vad(): { vad?: Static<typeof VadWish> } {
    const value = this.get('vad')
    if (!isRequest(value)) return {}
    const { end_of_turn_silence_ms: silence } = value
    return isSilence(silence) ? { vad: { end_of_turn_silence_ms: silence } } : {}
  }
}

/** Levels of nesting: stored values are written and read recursively. */
const deepest = 32

const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' && value !== null && (levels === 0 || Object.values(value).some((inside) => isDeeper(inside, levels - 1)))

const isRequest = (value: unknown): value is Input => typeof value === 'object' && value !== null && !Array.isArray(value)

const accepts = (schema: TSchema): ((value: unknown) => value is number) => {
  const check = bodyChecker(schema)
  return (value): value is number => {
    if (value === undefined) return false
    try {
      return check(value) !== undefined
    } catch {
      return false
    }
  }
}

const isCharacters = accepts(BargeIn.properties.minimum_characters)
const isDelay = accepts(BargeIn.properties.allow_after_ms)
const isSilence = accepts(VadWish.properties.end_of_turn_silence_ms)

/** Normalizes spelling: endpoints write AZURE, Azure, ElevenLabs, eleven-labs. */
const providerName = (given: string): string => {
  const name = given
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_')
  return name === 'elevenlabs' ? 'eleven_labs' : name
}
