/** What the browser gives to scripts that run beside the sound; not in TypeScript's list of what a page has. */
declare class AudioWorkletProcessor {
  readonly port: MessagePort
}

declare function registerProcessor(name: string, processor: new () => AudioWorkletProcessor): void

declare const sampleRate: number
