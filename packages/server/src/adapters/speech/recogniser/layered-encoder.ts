import type { InferenceSession, Tensor } from 'onnxruntime-node'
import { openSession, floats } from '../onnx.ts'
import { floatsType, graph, model, nameIn, node, tensor, valueInfo, messageField, readFields, textField, type Field } from '../protobuf.ts'

type Tensors = Record<string, Tensor>

/** Encoder for sound without a waiting caller: it can stop after each layer. It takes memory on first use. */
export class LayeredEncoder {
  readonly #read: () => Promise<Uint8Array>
  readonly #threads: number
  readonly #layers: InferenceSession[] = []
  /** Layer files that are not open yet. */
  #toOpen: Uint8Array[] | undefined

  constructor(read: () => Promise<Uint8Array>, threads: number) {
    this.#read = read
    this.#threads = threads
  }

  async run(given: Tensors, signal: AbortSignal): Promise<Tensor | undefined> {
    await this.#open(signal)
    const known = { ...given }
    for (const layer of this.#layers) {
      const taken = Object.entries(known).filter(([name]) => layer.inputNames.includes(name))
      Object.assign(known, await runLayer(layer, Object.fromEntries(taken), signal))
    }
    return known['last_hidden_state']
  }

  /** Opening a layer takes as long as running it; layers opened before an interruption stay open. */
  async #open(signal: AbortSignal): Promise<void> {
    this.#toOpen ??= layersOf(await this.#read())
    for (let [file] = this.#toOpen; file; [file] = this.#toOpen) {
      signal.throwIfAborted()
      this.#layers.push(await openSession(file, this.#threads))
      this.#toOpen.shift()
    }
  }
}

const runLayer = async (layer: InferenceSession, taken: Tensors, signal: AbortSignal): Promise<Tensors> => {
  signal.throwIfAborted()
  const [output] = layer.outputNames
  const wide = taken[convolved]
  if (!wide || output === undefined) return layer.run(taken)
  const parts: Tensor[] = []
  for (const slice of slicesOf(wide)) {
    signal.throwIfAborted()
    const part = (await layer.run({ [convolved]: slice }))[output]
    if (part) parts.push(part)
  }
  return { [output]: joined(parts) }
}

interface Step {
  field: Field
  inputs: string[]
  outputs: string[]
}

/** Cut points: the tensors before the first layer in Moonshine's file, and the first tensor of each layer in Moonshine's and Whisper's. */
const cutAt = /^\/(?:groupnorm\/Add|Mul_1|layers\.\d+\/(?:input_layernorm\/Mul|self_attn_layer_norm\/Add_1))_output_0$/

/**
 * Splits an encoder into several models that run one after the other; each gets the outputs of earlier ones and makes the inputs of later
 * ones. A running model cannot be interrupted, and an encoder takes a fifth of a second for five seconds of sound; between layers it can
 * stop.
 */
export const layersOf = (file: Uint8Array): Uint8Array[] => {
  const whole = readFields(file)
  const graphField = whole.find(({ number }) => number === model.graph)
  if (!graphField) throw new Error('the model file has no graph')
  return graphsOf(readFields(graphField.content)).map((part) =>
    Buffer.concat(whole.map((field) => (field === graphField ? messageField(model.graph, ...part) : field.whole))),
  )
}

/** Fields of each layer's graph. */
const graphsOf = (fields: readonly Field[]): Uint8Array[][] => {
  const ofKind = (number: number): Field[] => fields.filter((field) => field.number === number)
  const named = (number: number, name: number): [string, Field][] => ofKind(number).map((field) => [nameIn(field.content, name), field])
  const steps = ofKind(graph.node).map(stepOf)
  const [given, shapes] = [new Map(named(graph.output, valueInfo.name)), new Map(named(graph.valueInfo, valueInfo.name))]
  const kept = new Map([...named(graph.initializer, tensor.name), ...named(graph.input, valueInfo.name)])
  const ends = steps.flatMap(({ outputs }) => outputs.filter((name) => cutAt.test(name)))
  const layers = layersOfSteps(steps, [...ends.map((end) => [end]), [...given.keys()]])
  // Includes the shape if the file has it: known shapes need not be computed for every sound.
  const declared = (number: number, name: string): Uint8Array =>
    messageField(number, ...(shapes.has(name) ? [shapes.get(name)!.content] : [textField(valueInfo.name, name), floatsType()]))
  return layers.map((own, layer) => {
    const read = new Set(own.flatMap(({ inputs }) => inputs))
    const made = own.flatMap(({ outputs }) => outputs)
    const before = new Set(layers.slice(0, layer).flatMap((steps) => steps.flatMap(({ outputs }) => outputs)))
    const later = new Set(layers.slice(layer + 1).flatMap((steps) => steps.flatMap(({ inputs }) => inputs)))
    const shaped = made.filter((name) => !later.has(name) && !given.has(name)).map((name) => shapes.get(name))
    return [
      ...[...own.map(({ field }) => field), ...[...read].map((name) => kept.get(name)), ...shaped].flatMap((field) => field?.whole ?? []),
      ...[...read].filter((name) => before.has(name)).map((name) => declared(graph.input, name)),
      ...made.filter((name) => later.has(name)).map((name) => declared(graph.output, name)),
      ...made.flatMap((name) => given.get(name)?.whole ?? []),
    ]
  })
}

const stepOf = (field: Field): Step => {
  const inside = readFields(field.content)
  const names = (number: number): string[] =>
    inside.filter((one) => one.number === number).map(({ content }) => new TextDecoder().decode(content))
  return { field, inputs: names(node.input), outputs: names(node.output) }
}

/** Each step belongs to the first layer that needs it; within a layer the order of the file stays. */
const layersOfSteps = (steps: readonly Step[], ends: readonly (readonly string[])[]): Step[][] => {
  const makers = new Map(steps.flatMap((step) => step.outputs.map((name) => [name, step] as const)))
  const layerOf = new Map<Step, number>()
  for (const [layer, names] of ends.entries()) {
    const waiting = [...names]
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      const maker = makers.get(name)
      if (!maker || layerOf.has(maker)) continue
      layerOf.set(maker, layer)
      waiting.push(...maker.inputs)
    }
  }
  return ends.map((_, layer) => steps.filter((step) => layerOf.get(step) === layer))
}

/** Input of Moonshine's second convolution, which is a third of the encoder's work. Each output depends on a few inputs. */
const convolved = '/groupnorm/Add_output_0'
const [kernel, stride] = [7, 3]
/** Five seconds of sound have 415. */
const placesPerBatch = 100

/** Splits the input into slices that can be convolved one after the other. */
export const slicesOf = (whole: Tensor): Tensor[] => {
  const [, channels = 0, length = 0] = whole.dims
  const places = Math.floor((length - kernel) / stride) + 1
  const slices: Tensor[] = []
  for (let from = 0; from + placesPerBatch < places; from += placesPerBatch)
    slices.push(columns(whole.data as Float32Array, channels, from * stride, (placesPerBatch - 1) * stride + kernel))
  const rest = slices.length * placesPerBatch * stride
  return rest === 0 ? [whole] : [...slices, columns(whole.data as Float32Array, channels, rest, length - rest)]
}

const columns = (data: Float32Array, channels: number, from: number, width: number): Tensor => {
  const length = data.length / channels
  const part = new Float32Array(channels * width)
  for (let row = 0; row < channels; row++) part.set(data.subarray(row * length + from, row * length + from + width), row * width)
  return floats(part, 1, channels, width)
}

/** Joins the outputs of the slices. */
export const joined = (parts: readonly Tensor[]): Tensor => {
  const channels = parts[0]?.dims[1] ?? 0
  const length = parts.reduce((sum, { dims }) => sum + (dims[2] ?? 0), 0)
  const whole = new Float32Array(channels * length)
  let at = 0
  for (const { data, dims } of parts) {
    const width = dims[2] ?? 0
    for (let row = 0; row < channels; row++) whole.set((data as Float32Array).subarray(row * width, (row + 1) * width), row * length + at)
    at += width
  }
  return floats(whole, 1, channels, length)
}
