/** What Node has, and its types do not name. */
export interface WasmMemory {
  readonly buffer: ArrayBuffer
  grow(pages: number): number
}

export type WasmModule = object

interface WasmRuntime {
  Memory: new (size: { initial: number }) => WasmMemory
  Module: new (bytes: Uint8Array) => WasmModule
  Instance: new (module: WasmModule, imports: object) => { readonly exports: Readonly<Record<string, unknown>> }
}

export const { WebAssembly } = globalThis as unknown as { WebAssembly: WasmRuntime }

const pageBytes = 65_536

/** Memory is given in pages. */
export const pagesFor = (bytes: number): number => Math.ceil(bytes / pageBytes)
