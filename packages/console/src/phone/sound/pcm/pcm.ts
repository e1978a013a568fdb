/** Audio format to the service and back: 16 kHz, 16 bit, 20 ms per message. */
export const pcmRate = 16_000
export const frameSamples = 320

export const toFloats = (frame: ArrayBuffer): Float32Array => Float32Array.from(new Int16Array(frame), (sample) => sample / 0x80_00)

/** Peak level: 1 is full scale. */
export const peakOf = (frame: ArrayBuffer): number => {
  let peak = 0
  for (const sample of new Int16Array(frame)) peak = Math.max(peak, Math.abs(sample))
  return peak / 0x80_00
}
