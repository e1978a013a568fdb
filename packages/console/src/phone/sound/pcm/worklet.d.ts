/** Globals of AudioWorklet scripts; missing in TypeScript's DOM types. */
declare class AudioWorkletProcessor {
  readonly port: MessagePort
}

declare function registerProcessor(name: string, processor: new () => AudioWorkletProcessor): void

declare const sampleRate: number
