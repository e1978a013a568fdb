import { floatsType, graph, model, nameIn, node, tensor, valueInfo } from '../onnx-format.ts'
import { messageField, readFields, textField, type Field } from '../protobuf.ts'

interface Step {
  field: Field
  inputs: string[]
  outputs: string[]
}

/** What the sound is turned into before the first layer, in Moonshine's file, and with what each layer begins, in Moonshine's and Whisper's. */
const cutAt = /^\/(?:groupnorm\/Add|Mul_1|layers\.\d+\/(?:input_layernorm\/Mul|self_attn_layer_norm\/Add_1))_output_0$/

/**
 * An encoder's file as several, to be run one after the other: each takes what those before it made and gives what those after it need. Nobody can break off
 * a model that runs, and of five seconds of sound an encoder takes a fifth of a second; between its layers it can be left.
 */
export const layersOf = (file: Uint8Array): Uint8Array[] => {
  const whole = readFields(file)
  const graphField = whole.find(({ number }) => number === model.graph)
  if (!graphField) throw new Error('the model file has no graph')
  return graphsOf(readFields(graphField.content)).map((part) =>
    Buffer.concat(whole.map((field) => (field === graphField ? messageField(model.graph, ...part) : field.whole))),
  )
}

/** The fields of each layer's graph. */
const graphsOf = (fields: readonly Field[]): Uint8Array[][] => {
  const ofKind = (number: number): Field[] => fields.filter((field) => field.number === number)
  const named = (number: number, name: number): [string, Field][] => ofKind(number).map((field) => [nameIn(field.content, name), field])
  const steps = ofKind(graph.node).map(stepOf)
  const [given, shapes] = [new Map(named(graph.output, valueInfo.name)), new Map(named(graph.valueInfo, valueInfo.name))]
  const kept = new Map([...named(graph.initializer, tensor.name), ...named(graph.input, valueInfo.name)])
  const ends = steps.flatMap(({ outputs }) => outputs.filter((name) => cutAt.test(name)))
  const layers = layersOfSteps(steps, [...ends.map((end) => [end]), [...given.keys()]])
  // With its shape, if the file tells it: what is known of shapes need not be computed with every sound.
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

/** Each step belongs to the first layer that needs it; in each layer they are in the order of the file. */
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
