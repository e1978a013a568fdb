/** The part of WebAssembly that our kernels need. They are generated, because they are fast only if specialised. */
export type Code = readonly number[]

/** Unsigned LEB128. */
const whole = (value: number): number[] => (value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...whole(value >>> 7)])
const signed = (value: number): number[] => {
  const rest = value >> 7
  const done = (rest === 0 && (value & 0x40) === 0) || (rest === -1 && (value & 0x40) !== 0)
  return done ? [value & 0x7f] : [(value & 0x7f) | 0x80, ...signed(rest)]
}
const list = (items: readonly Code[]): number[] => [...whole(items.length), ...items.flat()]
const sized = (content: Code): number[] => [...whole(content.length), ...content]
const text = (name: string): number[] => sized([...Buffer.from(name)])

const vector = (instruction: number): number[] => [0xfd, ...whole(instruction)]
/** Alignment exponent: all addresses are those of floats. */
const aligned = 2

/** Concatenates code. */
export const code = (...parts: readonly Code[]): number[] => parts.flat()
export const get = (local: number): number[] => [0x20, ...whole(local)]
/** `value` leaves the number for the local on the stack. */
export const put = (local: number, value: Code): number[] => [...value, 0x21, ...whole(local)]
export const integer = (value: number): number[] => [0x41, ...signed(value)]
export const add: Code = [0x6a]
export const times: Code = [0x6c]
const less: Code = [0x49]
const repeatIf: Code = [0x0d, 0]
/** Repeats while `goesOn` leaves a number other than 0. */
export const loop = (body: Code, goesOn: Code): number[] => [0x03, 0x40, ...body, ...goesOn, ...repeatIf, 0x0b]
/** Adds to a local. */
export const advance = (local: number, by: Code): number[] => put(local, code(get(local), by, add))
export const isBelow = (local: number, limit: number): number[] => [...get(local), ...get(limit), ...less]
/** Decrements the local; leaves its value, so 0 ends a loop. */
export const countDown = (local: number): number[] => [...advance(local, integer(-1)), ...get(local)]

/** Four floats at the address on the stack. */
export const load4 = (offset: number): number[] => [...vector(0), aligned, ...whole(offset)]
/** One float at the address on the stack, in all four lanes. */
export const loadOne4 = (offset: number): number[] => [...vector(9), aligned, ...whole(offset)]
export const store4 = (offset: number): number[] => [...vector(11), aligned, ...whole(offset)]
/** A constant float in all four lanes. */
export const float4 = (value: number): number[] => [0x43, ...new Uint8Array(Float32Array.of(value).buffer), ...vector(19)]
export const add4: Code = vector(0xe4)
/** The first minus the second. */
export const minus4: Code = vector(0xe5)
export const times4: Code = vector(0xe6)
/** Two factors, then the addend. Rounded once or twice, depending on the processor (relaxed SIMD). */
export const timesAdd4: Code = vector(0x105)
export const larger4: Code = vector(0x10e)

export interface WasmFunction {
  name: string
  /** Integer parameters, the first locals; `integers` and `vectors` follow. */
  parameters: number
  integers: number
  vectors: number
  body: Code
}

/** Magic number and version. */
const beginning = [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0]
const integerType = 0x7f
const vectorType = 0x7b

/** All functions share one memory: `memory.floats`. */
export const wasmModule = (functions: readonly WasmFunction[]): WasmModule => {
  const section = (id: number, items: readonly Code[]): number[] => [id, ...sized(list(items))]
  const type = ({ parameters }: WasmFunction): number[] => [0x60, ...list(Array.from({ length: parameters }, () => [integerType])), 0]
  const locals = ({ integers, vectors }: WasmFunction): number[] =>
    list([
      [...whole(integers), integerType],
      [...whole(vectors), vectorType],
    ])
  const bytes = [
    ...beginning,
    ...section(1, functions.map(type)),
    ...section(2, [[...text('memory'), ...text('floats'), 2, 0, 1]]),
    ...section(
      3,
      functions.map((_, index) => whole(index)),
    ),
    ...section(
      7,
      functions.map(({ name }, index) => [...text(name), 0, ...whole(index)]),
    ),
    ...section(
      10,
      functions.map((one) => sized([...locals(one), ...one.body, 0x0b])),
    ),
  ]
  return new WebAssembly.Module(Uint8Array.from(bytes))
}

/** Part of Node that its types lack. */
export interface WasmMemory {
  readonly buffer: ArrayBuffer
  grow(pages: number): number
}

type WasmModule = object

interface WasmRuntime {
  Memory: new (size: { initial: number }) => WasmMemory
  Module: new (bytes: Uint8Array) => WasmModule
  Instance: new (module: WasmModule, imports: object) => { readonly exports: Readonly<Record<string, unknown>> }
}

export const { WebAssembly } = globalThis as unknown as { WebAssembly: WasmRuntime }

const pageBytes = 65_536

/** Memory is allocated in pages. */
export const pagesFor = (bytes: number): number => Math.ceil(bytes / pageBytes)
