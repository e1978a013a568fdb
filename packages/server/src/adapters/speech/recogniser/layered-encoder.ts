import type { InferenceSession, Tensor } from 'onnxruntime-node'
import { openSession } from '../onnx.ts'
import { convolved, joined, slicesOf } from './convolution-slices.ts'
import { layersOf } from './encoder-layers.ts'

type Tensors = Record<string, Tensor>

/** An encoder for sound that nobody waits for: it stops after the layer that it is at. It takes memory when it is first used. */
export class LayeredEncoder {
  readonly #read: () => Promise<Uint8Array>
  readonly #threads: number
  readonly #layers: InferenceSession[] = []
  /** Files of the layers that are not open yet. */
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

  /** To open one takes as long as to run it; what was opened before somebody called stays open. */
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
