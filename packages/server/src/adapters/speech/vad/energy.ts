/** Of samples from -1 to 1. */
export const energyOf = (samples: Float32Array, from = 0, to = samples.length): number => {
  let energy = 0
  for (let i = from; i < to; i++) energy += samples[i]! * samples[i]!
  return energy
}
