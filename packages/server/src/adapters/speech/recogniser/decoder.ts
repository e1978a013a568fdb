import type { InferenceSession, Tensor } from 'onnxruntime-node'
import { floats, integers, truth } from '../onnx.ts'

export interface DecoderShape {
  layers: number
  /** Of a memory with nothing in it. */
  empty: readonly [number, number, number, number]
}

/** Scores of all words of the vocabulary, for each word that was given. */
export interface Scores {
  at(position: number): Float32Array
  last: Float32Array
}

/** The half of a recogniser that writes, word by word; it remembers what it wrote. Both of ours are exported in the same way. */
export class Decoder {
  readonly #session: InferenceSession
  readonly #memory: readonly string[]
  readonly #empty: Tensor
  /** What was heard stays the same, so that part of the memory is asked for only once. */
  readonly #firstOutputs: string[]
  readonly #laterOutputs: string[]

  constructor(session: InferenceSession, { layers, empty }: DecoderShape) {
    this.#session = session
    this.#empty = floats(new Float32Array(0), ...empty)
    const parts = ['decoder.key', 'decoder.value', 'encoder.key', 'encoder.value']
    this.#memory = Array.from({ length: layers }, (_, layer) => parts.map((part) => `${layer}.${part}`)).flat()
    this.#firstOutputs = ['logits', ...this.#memory.map((name) => `present.${name}`)]
    this.#laterOutputs = this.#firstOutputs.filter((name) => !name.includes('.encoder.'))
  }

  /** Gives a function that takes the next words and tells how likely each word is after them. */
  begin(heard: Tensor): (words: readonly number[]) => Promise<Scores> {
    const past: Record<string, Tensor> = Object.fromEntries(this.#memory.map((name) => [`past_key_values.${name}`, this.#empty]))
    let first = true
    return async (words) => {
      const given = { input_ids: integers(words), encoder_hidden_states: heard, use_cache_branch: truth(!first), ...past }
      const results = await this.#session.run(given, first ? this.#firstOutputs : this.#laterOutputs)
      first = false
      for (const name of this.#memory) {
        const present = results[`present.${name}`]
        if (present) past[`past_key_values.${name}`] = present
      }
      return scoresOf(results['logits'])
    }
  }
}

const scoresOf = (logits: Tensor | undefined): Scores => {
  if (!logits) throw new Error('the model gave no scores')
  const [, positions = 1, vocabulary = 0] = logits.dims
  const data = logits.data as Float32Array
  const at = (position: number): Float32Array => data.subarray(position * vocabulary, (position + 1) * vocabulary)
  return { at, last: at(positions - 1) }
}
