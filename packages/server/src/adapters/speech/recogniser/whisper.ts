import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { InferenceSession, Tensor } from 'onnxruntime-node'
import {
  Decoder,
  endingProbability,
  impossible,
  logProbabilities,
  type Mark,
  marksOf,
  probabilityOf,
  type Step,
  withoutRepetition,
  writeGreedily,
  type Written,
} from './greedy.ts'
import { expectedInstead, type Expectation } from './expected-phrases.ts'
import { LayeredEncoder } from './layered-encoder.ts'
import { logMel, melBands } from './mel.ts'
import { allCodes } from './engine-choice.ts'
import { floats, openSession } from '../onnx.ts'
import type { Heard } from './recogniser-thread.ts'
import {
  anySize,
  floatsType,
  graph,
  model,
  nameIn,
  shape,
  tensor,
  valueInfo,
  fieldOf,
  messageField,
  numberField,
  readFields,
  textField,
  type Field,
} from '../protobuf.ts'

const rate = 16_000
const framesPerSecond = 100
/** Seconds of silence after the words; without it Whisper continues with invented words. */
const silenceSeconds = 2.5
/** Seconds; one-word answers are only understood in a wide window. */
const shortSeconds = 1.5
const shortWindowSeconds = 12
const maxFrames = 3000
const wordsPerSecond = 8
const maxPromptLength = 100

interface WhisperQuestion {
  sound: Float32Array
  /** One: that language. Several: the likeliest of them. None: the likeliest of all. */
  codes: readonly string[]
  expectation: Expectation
  signal: AbortSignal
  patient?: true | undefined
}

/** Whisper: about a hundred languages. It invents sentences for sound without speech, so unlikely results are dropped. */
export class Whisper {
  readonly #encoder: InferenceSession
  readonly #layers: LayeredEncoder
  readonly #table: Omit<DynamicEncoder, 'model'>
  readonly #decoder: Decoder
  readonly #words: WhisperWords

  constructor(
    encoder: InferenceSession,
    layers: LayeredEncoder,
    table: Omit<DynamicEncoder, 'model'>,
    decoder: Decoder,
    words: WhisperWords,
  ) {
    this.#encoder = encoder
    this.#layers = layers
    this.#table = table
    this.#decoder = decoder
    this.#words = words
  }

  static async open(models: string, size: 'base' | 'small', threads: number): Promise<Whisper> {
    const folder = join(models, `whisper-${size}`)
    const read = async (): Promise<DynamicEncoder> => dynamicEncoder(await readFile(join(folder, 'encoder_model_quantized.onnx')))
    const { model, positions, width } = await read()
    const encoder = await openSession(model, threads)
    const layers = new LayeredEncoder(async () => (await read()).model, threads)
    const decoder = await openSession(join(folder, 'decoder_model_merged_quantized.onnx'), threads)
    const config = JSON.parse(await readFile(join(folder, 'config.json'), 'utf8')) as Config
    const heads = config.decoder_attention_heads
    const shape = { layers: config.decoder_layers, empty: [1, heads, 0, config.d_model / heads] } as const
    return new Whisper(encoder, layers, { positions, width }, new Decoder(decoder, shape), await WhisperWords.open(folder))
  }

  async hear({ sound, codes, expectation, signal, patient }: WhisperQuestion): Promise<Heard> {
    const heard = await this.#encode(sound, signal, patient)
    signal.throwIfAborted()
    const language = codes.length === 1 ? codes[0]! : await this.#likeliestLanguage(heard, codes)
    signal.throwIfAborted()
    const prompt = this.#prompt(language, expectation.vocabulary)
    const start = await this.#decoder.start(heard, prompt)
    const nothing = probabilityOf(
      this.#words.special('nocaptions'),
      start.scores.at(prompt.indexOf(this.#words.special('startoftranscript'))),
    )
    const written = await writeGreedily({
      start,
      end: this.#words.special('endoftext'),
      maxLength: Math.max(12, Math.ceil((sound.length / rate) * wordsPerSecond)),
      forbid: this.#forbid,
      isNumber: (word) => this.#words.isNumber(word),
      marks: this.#words.marks,
      signal,
    })
    const text = isBelievable(written, nothing) ? withoutRepetition(this.#words.text(written.words)) : ''
    const free = { text, confidence: calibrated(Math.exp(written.logProbability)) }
    const isVoice = text !== '' || nothing < noVoice
    const instead = isVoice ? await this.#expected({ text, total: written.total }, expectation, start, signal) : undefined
    return { ...free, ...instead, language, ...(written.tail && { tail: written.tail }) }
  }

  #expected(free: { text: string; total: number }, expectation: Expectation, start: Step, signal: AbortSignal) {
    return expectedInstead(free, expectation, {
      start,
      token: (piece) => this.#words.id(piece),
      logProbabilities: (scores, atStart) => {
        this.#forbid(scores, atStart ? 0 : 1)
        return logProbabilities(scores)
      },
      ending: (scores) => endingProbability(scores, this.#words.special('endoftext'), this.#words.marks),
      signal,
    })
  }

  async #encode(sound: Float32Array, signal: AbortSignal, patient?: true): Promise<Tensor> {
    const seconds = sound.length / rate
    const window = seconds < shortSeconds ? shortWindowSeconds : seconds + silenceSeconds
    const frames = Math.min(maxFrames, 2 * Math.ceil((window * framesPerSecond) / 2))
    const { positions, width } = this.#table
    const given = {
      input_features: floats(logMel(sound, frames), 1, melBands, frames),
      [positionsInput]: floats(positions.subarray(0, (frames / 2) * width), frames / 2, width),
    }
    const heard = patient ? await this.#layers.run(given, signal) : (await this.#encoder.run(given))['last_hidden_state']
    if (!heard) throw new Error('the encoder gave nothing')
    return heard
  }

  async #likeliestLanguage(heard: Tensor, codes: readonly string[]): Promise<string> {
    const { scores } = await this.#decoder.start(heard, [this.#words.special('startoftranscript')])
    const score = (code: string): number => scores.last[this.#words.special(code)] ?? -Infinity
    const candidates = codes.length === 0 ? allCodes : codes
    return candidates.reduce((best, code) => (score(code) > score(best) ? code : best))
  }

  /** Vocabulary is given as if it had just been said. */
  #prompt(language: string, vocabulary: readonly string[]): number[] {
    const special = (name: string): number => this.#words.special(name)
    const task = [special('startoftranscript'), special(language), special('transcribe'), special('notimestamps')]
    if (vocabulary.length === 0) return task
    return [special('startofprev'), ...this.#words.ids(` ${vocabulary.join(', ')}.`).slice(0, maxPromptLength), ...task]
  }

  readonly #forbid = (scores: Float32Array, index: number): void => {
    for (const word of this.#words.never) scores[word] = impossible
    if (index === 0) for (const word of this.#words.neverFirst) scores[word] = impossible
    scores.fill(impossible, this.#words.special('endoftext') + 1)
  }
}

/** Its output for noises and tones is unlikely, most of all when it reports a high no-speech probability. */
const isBelievable = ({ logProbability }: Written, nothing: number): boolean => logProbability > (nothing > noVoice ? -0.6 : -1.5)
const noVoice = 0.5

/** Single words are right from a mean probability of 0.42 on: this is where the limit of unclear words, 0.5, is for all recognisers. */
const calibrated = (confidence: number): number => confidence ** 0.8

interface Config {
  d_model: number
  decoder_layers: number
  decoder_attention_heads: number
}

/** GPT-2 writes each byte as a visible character: most as themselves, the others as code points from 256 on. */
const visibleBytes = (): Map<string, number> => {
  const visible = (byte: number): boolean => (byte > 32 && byte < 127) || (byte > 160 && byte !== 173)
  let others = 0
  return new Map(Array.from({ length: 256 }, (_, byte) => [String.fromCharCode(visible(byte) ? byte : 256 + others++), byte]))
}

const byteOf = visibleBytes()
const characterOf = new Map([...byteOf].map(([character, byte]) => [byte, character]))

interface Files {
  vocabulary: Record<string, number>
  special: Record<string, number>
  never: readonly number[]
  neverFirst: readonly number[]
}

/** Whisper’s vocabulary and its special tokens. */
class WhisperWords {
  readonly never: readonly number[]
  readonly neverFirst: readonly number[]
  readonly marks: ReadonlyMap<number, Mark>
  readonly #ids: ReadonlyMap<string, number>
  readonly #pieces: readonly string[]
  readonly #special: Readonly<Record<string, number>>

  constructor({ vocabulary, special, never, neverFirst }: Files) {
    this.never = never
    this.neverFirst = neverFirst
    this.#special = special
    this.#ids = new Map(Object.entries(vocabulary))
    const pieces: string[] = []
    for (const [piece, id] of this.#ids) pieces[id] = piece
    this.#pieces = pieces
    this.marks = marksOf(pieces.length, (word) => this.text([word]))
  }

  static async open(folder: string): Promise<WhisperWords> {
    const read = async (name: string): Promise<unknown> => JSON.parse(await readFile(join(folder, name), 'utf8'))
    const generation = (await read('generation_config.json')) as { suppress_tokens: number[]; begin_suppress_tokens: number[] }
    return new WhisperWords({
      vocabulary: (await read('vocab.json')) as Record<string, number>,
      special: (await read('added_tokens.json')) as Record<string, number>,
      never: generation.suppress_tokens,
      neverFirst: generation.begin_suppress_tokens,
    })
  }

  special(name: string): number {
    const id = this.#special[`<|${name}|>`] ?? this.#ids.get(`<|${name}|>`)
    if (id === undefined) throw new Error(`the model has no word ${name}`)
    return id
  }

  isNumber(word: number): boolean {
    return /\d/.test(this.#pieces[word] ?? '')
  }

  text(words: readonly number[]): string {
    const bytes = words.flatMap((word) => Array.from(this.#pieces[word] ?? '', (character) => byteOf.get(character) ?? 0x3f))
    return Buffer.from(bytes).toString('utf8').trim()
  }

  id(piece: string): number | undefined {
    return this.#ids.get(Array.from(Buffer.from(piece), (byte) => characterOf.get(byte) ?? '').join(''))
  }

  /** Longest match from the left: not always the tokens of the training, but Whisper can read them. */
  ids(text: string): number[] {
    const characters = Array.from(Buffer.from(text), (byte) => characterOf.get(byte) ?? '').join('')
    const ids: number[] = []
    for (let at = 0; at < characters.length;) {
      let length = Math.min(maxPieceLength, characters.length - at)
      while (length > 1 && !this.#ids.has(characters.slice(at, at + length))) length--
      const id = this.#ids.get(characters.slice(at, at + length))
      if (id !== undefined) ids.push(id)
      at += length
    }
    return ids
  }
}

const maxPieceLength = 24

const positionsInput = 'embed_positions.weight'
const hiddenOutput = 'last_hidden_state'
const maxWindowFrames = 1500

interface DynamicEncoder {
  /** The model, with the table of positions as an input instead of a constant. */
  model: Uint8Array
  /** The table: `width` numbers for each of 1500 positions. */
  positions: Float32Array
  width: number
}

/**
 * Whisper's encoder needs 30 seconds only because it adds a constant table of positions to its input. With the beginning of that table as
 * an input it accepts any length and takes time only for that length.
 */
export const dynamicEncoder = (file: Uint8Array): DynamicEncoder => {
  const graphField = readFields(file).find(({ number }) => number === model.graph)
  if (!graphField) throw new Error('the model file has no graph')
  const fields = readFields(graphField.content)
  const table = fields.find(isPositions)
  if (!table) throw new Error('the model file has no table of positions')
  const raw = fieldOf(table.content, tensor.rawData)
  const width = raw.length / 4 / maxWindowFrames
  const kept = fields.filter((field) => field !== table).flatMap(rewritten)
  const newGraph = messageField(model.graph, ...kept, positionsDeclared(width))
  const whole = readFields(file).map((field) => (field.number === model.graph ? newGraph : field.whole))
  return { model: Buffer.concat(whole), positions: new Float32Array(Uint8Array.from(raw).buffer), width }
}

const isPositions = ({ number, content }: Field): boolean => number === graph.initializer && nameIn(content, tensor.name) === positionsInput

/** Removes sizes that are fixed to 30 seconds, and unused outputs. */
const rewritten = ({ number, content, whole }: Field): Uint8Array[] => {
  if (number === graph.valueInfo) return []
  if (number !== graph.output) return [whole]
  if (nameIn(content, valueInfo.name) !== hiddenOutput) return []
  return [messageField(graph.output, textField(valueInfo.name, hiddenOutput), floatsType())]
}

const positionsDeclared = (width: number): Uint8Array => {
  const columns = messageField(shape.dimension, numberField(shape.size, width))
  return messageField(graph.input, textField(valueInfo.name, positionsInput), floatsType(anySize('positions'), columns))
}
